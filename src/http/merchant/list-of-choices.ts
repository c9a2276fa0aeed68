/** `POST /api/v3/list-of-banks` and `POST /api/v3/list-of-wallets`. Contract 11.11. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { orderIdField, readOrderId } from './order-id.ts';

const Body = Type.Object(
  { order_id: orderIdField },
  { title: 'OrderReference', description: 'The order that the call is about.' },
);

const lists = [
  {
    url: '/list-of-banks',
    operationId: 'listBanks',
    modeCode: 'net_banking',
    code: 'bank_code',
    title: 'Bank',
    summary: 'List the banks that an order can be paid through by net banking',
  },
  {
    url: '/list-of-wallets',
    operationId: 'listWallets',
    modeCode: 'wallet',
    code: 'wallet_code',
    title: 'Wallet',
    summary: 'List the wallets that an order can be paid with',
  },
] as const;

export function addListsOfChoices(app: FastifyInstance, { useCases }: HttpContext): void {
  for (const { url, operationId, modeCode, code, title, summary } of lists) {
    const Item = Type.Object(
      {
        [code]: Type.String({ description: `Goes into ${code} of initiate-payment.` }),
        name: Type.String({ description: 'Name to show to the consumer.' }),
      },
      { title, description: 'One choice of the consumer.' },
    );
    const Reply = Type.Object(
      { items: Type.Array(Item, { description: 'The choices; empty when there are none.' }) },
      { title: `${title}s`, description: 'The choices for an order.' },
    );
    app.post<{ Body: Static<typeof Body> }>(url, {
      config: {
        access: 'order',
        documentation: {
          replyDescription: 'The choices, in the order in which to show them.',
          errors: ['ORDER_NOT_FOUND'],
          examples: new URL(`./examples${url}.json`, import.meta.url),
        },
      },
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
