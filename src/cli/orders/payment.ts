/** `payment capture` and `payment void`: what the shop can do with its calls, by hand. Contract 16. */
import { commandLine } from '../../domain/audit.ts';
import { isTransactionId } from '../../domain/ids.ts';
import { findOrder } from '../../use-cases/orders/show-order.ts';
import { operateAs } from '../../use-cases/payments/operate.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';

const paymentArgument = {
  name: 'TRANSACTION_ID',
  phrase: 'the id of a payment',
  text: 'The payment: see transaction list.',
};
const noteOption = { note: { value: 'TEXT', text: 'Why, for the audit log.' } } as const;

type Sent = {
  readonly kind: 'capture' | 'void';
  readonly transactionId: string;
  readonly amount: string | undefined;
  readonly comment: string | undefined;
};

const readTransactionId = ([text = '']: readonly string[]): string => {
  if (isTransactionId(text)) return text;
  throw new UsageError('TRANSACTION_ID must be the id of a payment: see transaction list.');
};

async function operateByHand(services: Parameters<typeof operateAs>[0], sent: Sent) {
  const { kind, transactionId, amount, comment } = sent;
  const [orderId = ''] = transactionId.split('-');
  const found = await findOrder(services.database, orderId, undefined);
  if ('refusal' in found) throw new RefusedError(`There is no payment ${transactionId}.`);
  const { accountId } = found.order;
  const wanted = { kind, transactionId, amount, comment };
  const { reply } = await operateAs(services, commandLine, { accountId, orderId }, wanted);
  return {
    transactionId: reply.transactionId,
    paymentTransactionId: reply.paymentTransactionId,
    orderId,
    accountId,
    status: reply.status,
    message: reply.message,
  };
}

export const paymentCapture = defineCommand({
  name: ['payment', 'capture'],
  summary: 'Capture an authorised payment.',
  description:
    'Takes the money that a payment has reserved: all of it, or a part where the provider allows that.',
  arguments: [paymentArgument],
  options: {
    amount: {
      value: 'AMOUNT',
      text: 'In major units, such as 118.00. Without it, all that is still authorised.',
    },
    ...noteOption,
  },
  examples: ['payment capture o_…-261119101500', 'payment capture o_…-261119101500 --amount 40.00'],
  read: ({ values: { amount, note }, positionals }) => ({
    kind: 'capture' as const,
    transactionId: readTransactionId(positionals),
    amount,
    comment: note,
  }),
  run: operateByHand,
});

export const paymentVoid = defineCommand({
  name: ['payment', 'void'],
  summary: 'Release what an authorised payment has reserved.',
  description:
    'Nothing more is captured from then on. Not every provider can be told so; there the void is pending until the hold ends by itself.',
  arguments: [paymentArgument],
  options: noteOption,
  examples: ['payment void o_…-261119101500 --note "out of stock"'],
  read: ({ values: { note }, positionals }) => ({
    kind: 'void' as const,
    transactionId: readTransactionId(positionals),
    amount: undefined,
    comment: note,
  }),
  run: operateByHand,
});
