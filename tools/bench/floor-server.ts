/**
 * The HTTP floor: a bare Fastify route that parses and validates the same body, signs two tokens and sends the same
 * reply, without a database. No implementation of create order on this stack can be faster.
 */
import { createSigner } from 'fast-jwt';
import Fastify from 'fastify';
import { OrderReply } from '../../src/http/merchant/order-reply-schemas.ts';
import {
  CreateOrderBody as Body,
  type CreateOrderBody,
} from '../../src/http/merchant/order-schemas.ts';

const app = Fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } },
});
const sign = createSigner({ algorithm: 'HS256', key: '0'.repeat(32), kid: 'key', iss: 'floor' });
const names = { order_id: 'o_0123456789abcdef', sub: 'acc_0123456789abcdef' };
const times = { iat: 1_800_000_000, exp: 1_800_001_200, jti: '0123456789ab' };

app.post<{ Body: CreateOrderBody; Reply: OrderReply }>('/api/v3/create-order', {
  schema: { body: Body, response: { 200: OrderReply } },
  handler: async ({ body }) => ({
    order_id: names.order_id,
    order_date: '2027-01-15 08:00:00.000000',
    status: 'new',
    invoice_id: String(body.invoice_id),
    user: {
      email: 'asha@example.com',
      first_name: 'Asha',
      last_name: 'Rao',
      country_code: '+91',
      mobile_number: 9876543210,
      user_id: 'user_0123456789abcdef',
    },
    attempts: 0,
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    token: sign({ ...names, token_type: 'order', ...times }),
    token_expiration: '2027-01-15T08:20:00.000000',
    refresh_token: sign({ ...names, token_type: 'refresh', ...times }),
    refresh_token_expiration: '2027-01-16T08:00:00.000000',
    next: [
      { action: 'payment_modes', url: '/api/v3/payment-modes' },
      { action: 'resolve_user', url: '/api/v3/resolve-user' },
      { action: 'update_order', url: '/api/v3/update-order' },
    ],
  }),
});
// The launcher waits for this, as it does with the service.
app.get('/readyz', async () => ({ status: 'ready' }));
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
console.log(`floor is ready on ${url}`);
