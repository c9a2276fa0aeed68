/** The reads of older SDKs under `/api/v2`: each is a part of the transaction enquiry. Contract 11.11. */
import type { FastifyInstance } from 'fastify';
import { type TObject, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Caller } from '../../security/tokens.ts';
import type { EnquiryPart } from '../../use-cases/payments/enquire-part.ts';
import type { HttpContext } from '../http-context.ts';
import { list, object, text, textOrNull } from '../open-api/fields.ts';
import { EnquiryBody, EnquiryReply, numberOrNull, TransactionReply } from './enquiry-schemas.ts';
import { enquiryView, sentTransactionView } from './enquiry-view.ts';
import { addOperation } from './operation.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { toText } from './order-request.ts';
import { textOrNumber } from './order-schemas.ts';
import { fullOrderView } from './order-view.ts';
import { readTransactionId } from './transaction-enquiry.ts';

const Body = object(
  'OlderEnquiryRequest',
  'The ids of the transaction enquiry. Null and empty count as absent.',
  {
    ...EnquiryBody.properties,
    refund_request_id: textOrNumber('Your reference of a refund; read by fetch-refund only.'),
  },
);

const olderFields = {
  ...TransactionReply.properties,
  transaction_id: text('The same value as svc_transaction_id.'),
  signature: textOrNull('The same value as svc_signature.'),
  status: Type.Optional(textOrNull('Of a payment: the same value as payment_status.')),
  refund_amount: Type.Optional(numberOrNull('Of a refund: the same value as transaction_amount.')),
};
const OlderTransaction = object(
  'OlderTransaction',
  'A transaction with the names of older clients.',
  olderFields,
);
const listOf = (what: string) =>
  list(OlderTransaction, `The same ${what} with the names of older clients.`);

type Kind = 'one' | 'payments' | 'refunds';

/** Beside the reply of the enquiry, what older clients read. */
const replies: Readonly<Record<Kind, TObject>> = {
  one: object('OlderTransactionEnquiry', 'One transaction, and its enquiry.', {
    ...olderFields,
    ...EnquiryReply.properties,
  }),
  payments: object('OlderPayments', 'The payments of an order, and their enquiry.', {
    ...EnquiryReply.properties,
    transactions: listOf('payments'),
  }),
  refunds: object('OlderRefunds', 'Refunds, and their enquiry.', {
    ...EnquiryReply.properties,
    refunds: listOf('refunds'),
  }),
};

const OlderOrder = object('OlderOrder', 'The order as get order replies it, and its enquiry.', {
  ...FullOrderReply.properties,
  ...EnquiryReply.properties,
});

const reads: readonly {
  readonly path: string;
  readonly operationId: string;
  readonly part: EnquiryPart;
  readonly reply: Kind;
  /** What the path names if it ends with an id. */
  readonly pathNames: 'transactionId' | 'orderId';
  readonly needs: string;
}[] = [
  {
    path: '/fetch-transaction',
    operationId: 'enquireTransaction',
    part: 'one transaction',
    reply: 'one',
    pathNames: 'transactionId',
    needs: 'Needs transaction_id.',
  },
  {
    path: '/order/fetch-transactions',
    operationId: 'enquirePaymentsOfOrder',
    part: 'payments of an order',
    reply: 'payments',
    pathNames: 'orderId',
    needs: 'Needs an id of the order.',
  },
  {
    path: '/fetch-refund',
    operationId: 'enquireRefund',
    part: 'one refund',
    reply: 'one',
    pathNames: 'transactionId',
    needs: 'Needs transaction_id, that of the refund, or refund_request_id.',
  },
  {
    path: '/order/fetch-refunds',
    operationId: 'enquireRefundsOfOrder',
    part: 'refunds of an order',
    reply: 'refunds',
    pathNames: 'orderId',
    needs: 'Needs an id of the order.',
  },
  {
    path: '/transaction/fetch-refunds',
    operationId: 'enquireRefundsOfPayment',
    part: 'refunds of a payment',
    reply: 'refunds',
    pathNames: 'transactionId',
    needs: 'Needs transaction_id, that of the payment.',
  },
];

const common = { tag: 'Orders', access: 'order' } as const;
const replyDescription = 'The order, and the transactions that were asked for.';

export function addOlderReads(app: FastifyInstance, context: HttpContext): void {
  const { useCases, clock } = context;
  for (const { path, operationId, part, reply, pathNames, needs } of reads) {
    const operation = {
      ...common,
      operationId,
      summary: `Older clients: get ${part}`,
      description: `For clients that already call it; new ones call transaction-enquiry. ${needs} The reply is that of the enquiry, with ${part}, and with the names that older clients read.`,
      examples: `older-${reply}`,
      reply: replies[reply],
      replyDescription,
      errors: ['TRANSACTION_NOT_FOUND', 'ORDER_NOT_FOUND', 'INVOICE_NOT_FOUND'],
      aliases: [`GET /api/v2${path}/{id}`],
    } as const;
    const read = async (caller: Caller, ids: Parameters<typeof useCases.enquirePart>[2]) => {
      const enquiry = await useCases.enquirePart(caller, part, ids);
      const masked = caller.type !== 'merchant';
      return olderView(reply, enquiryView(enquiry, { now: clock(), masked }));
    };
    addOperation(app, `POST ${path}`, {
      ...operation,
      body: Body,
      handler: ({ caller, body }) =>
        read(caller, {
          transactionId: readTransactionId(body),
          orderId: toText(body.order_id),
          invoiceId: toText(body.invoice_id),
          refundRequestId: toText(body.refund_request_id),
        }),
    });
    addOperation(app, `GET ${path}/:id`, {
      ...operation,
      isAlias: true,
      params: pathId('id', 'Identifier of the order, or of the transaction.'),
      handler: ({ caller, params }) => read(caller, { [pathNames]: idOf(params, 'id') }),
    });
  }
  addOlderOrder(app, context);
}

function addOlderOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'GET /get-order/:order_id', {
    ...common,
    operationId: 'getOlderOrder',
    summary: 'Older clients: get an order with all its transactions',
    description:
      'For clients that already call it; new ones call get order, or transaction-enquiry. The reply is that of both.',
    examples: 'older-order',
    params: pathId('order_id', 'Identifier of the order, issued at creation.'),
    reply: OlderOrder,
    replyDescription,
    errors: ['ORDER_NOT_FOUND'],
    handler: async ({ caller, params }) => {
      const orderId = idOf(params, 'order_id');
      const { order, token } = await useCases.getOrder(caller, { orderId });
      const enquiry = await useCases.enquire(caller, { orderId });
      const shown = { now: clock(), masked: caller.type !== 'merchant' };
      return { ...fullOrderView(order, { ...shown, token }), ...enquiryView(enquiry, shown) };
    },
  });
}

function olderView(kind: Kind, view: EnquiryReply) {
  const named = view.transaction.map(sentTransactionView);
  return kind === 'one'
    ? { ...named[0], ...view }
    : { ...view, [kind === 'payments' ? 'transactions' : 'refunds']: named };
}

/** The pattern refuses NUL, which PostgreSQL would report as an error. */
function pathId(name: string, description: string): TObject {
  const pattern = '^[^\\u0000]*$';
  return Type.Object({
    [name]: Type.String({ maxLength: limits.textCharsMax, pattern, description }),
  });
}

const idOf = (params: unknown, name: string): string =>
  (params as Readonly<Record<string, string>>)[name] ?? '';
