/** `POST /api/v3/list-of-banks` and `POST /api/v3/list-of-wallets`. Contract 11.11. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import { orderIdField, readOrderId } from './order-id.ts';

const Body = Type.Object({ order_id: orderIdField });

const lists = [
  {
    url: '/list-of-banks',
    operationId: 'listOfBanks',
    modeCode: 'net_banking',
    code: 'bank_code',
    summary: 'List the banks that an order can be paid through by net banking',
  },
  {
    url: '/list-of-wallets',
    operationId: 'listOfWallets',
    modeCode: 'wallet',
    code: 'wallet_code',
    summary: 'List the wallets that an order can be paid with',
  },
] as const;

export function addListsOfChoices(app: FastifyInstance, { useCases }: Edge): void {
  for (const { url, operationId, modeCode, code, summary } of lists) {
    const Item = Type.Object({ [code]: Type.String(), name: Type.String() });
    const Reply = Type.Object({ items: Type.Array(Item) });
    app.post<{ Body: Static<typeof Body> }>(url, {
      config: { access: 'order' },
      schema: {
        operationId,
        summary,
        description: `Empty where the account does not offer ${modeCode}. A code goes into ${code} of initiate-payment.`,
        tags: ['Payments'],
        body: Body,
        response: { 200: Reply, ...errorReplies },
      },
      handler: async (request) => {
        const caller = getCaller(request);
        const orderId = readOrderId(caller, request.body);
        const choices = await useCases.listChoices(caller, { orderId, modeCode });
        return { items: choices.map((choice) => ({ [code]: choice.code, name: choice.name })) };
      },
    });
  }
}
