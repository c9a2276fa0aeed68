/** `POST /api/v3/list-of-banks` and `POST /api/v3/list-of-wallets`. Contract 11.11. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { text } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';
import { readOrderId } from './order-request.ts';
import { OrderReference } from './order-schemas.ts';

const lists = [
  {
    route: 'POST /list-of-banks',
    operationId: 'listBanks',
    modeCode: 'net_banking',
    code: 'bank_code',
    title: 'Bank',
    summary: 'List the banks that an order can be paid through by net banking',
  },
  {
    route: 'POST /list-of-wallets',
    operationId: 'listWallets',
    modeCode: 'wallet',
    code: 'wallet_code',
    title: 'Wallet',
    summary: 'List the wallets that an order can be paid with',
  },
] as const;

export function addListsOfChoices(app: FastifyInstance, { useCases }: HttpContext): void {
  for (const { route, operationId, modeCode, code, title, summary } of lists) {
    const Item = Type.Object(
      {
        [code]: text(`Goes into ${code} of initiate-payment.`),
        name: text('Name to show to the consumer.'),
      },
      { title, description: 'One choice of the consumer.' },
    );
    addOperation(app, route, {
      operationId,
      tag: 'Payments',
      access: 'order',
      summary,
      description: `Empty where the account does not offer ${modeCode}. A code goes into ${code} of initiate-payment.`,
      body: OrderReference,
      reply: Type.Object(
        { items: Type.Array(Item, { description: 'The choices; empty when there are none.' }) },
        { title: `${title}s`, description: 'The choices for an order.' },
      ),
      replyDescription: 'The choices, in the order in which to show them.',
      errors: ['ORDER_NOT_FOUND'],
      handler: async (request) => {
        const caller = getCaller(request);
        const orderId = readOrderId(caller, request.body);
        const choices = await useCases.listChoices(caller, { orderId, modeCode });
        return { items: choices.map((choice) => ({ [code]: choice.code, name: choice.name })) };
      },
    });
  }
}
