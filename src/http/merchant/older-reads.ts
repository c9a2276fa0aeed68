/** The reads of older SDKs under `/api/v2`: each is a part of the transaction enquiry. Contract 11.11. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { EnquiryPart } from '../../use-cases/payments/enquire-part.ts';
import type { HttpContext } from '../http-context.ts';
import { object } from '../open-api/fields.ts';
import { EnquiryBody, EnquiryReply } from './enquiry-schemas.ts';
import { enquiryView } from './enquiry-view.ts';
import { addOperation } from './operation.ts';
import { toText } from './order-request.ts';
import { textOrNumber } from './order-schemas.ts';

const Body = object(
  'OlderEnquiryRequest',
  'The ids of the transaction enquiry. Null and empty count as absent.',
  {
    ...EnquiryBody.properties,
    svc_transaction_id: textOrNumber('Another name of transaction_id.'),
    refund_request_id: textOrNumber('Your reference of a refund; read by fetch-refund only.'),
  },
);
type Body = Static<typeof Body>;

/** The pattern refuses NUL, which PostgreSQL would report as an error. */
const Params = Type.Object({
  order_id: Type.String({
    maxLength: limits.textCharsMax,
    pattern: '^[^\\u0000]*$',
    description: 'Identifier of the order, issued at creation.',
  }),
});

const reads: readonly {
  readonly path: string;
  readonly operationId: string;
  readonly part: EnquiryPart;
  readonly needs: string;
}[] = [
  {
    path: '/fetch-transaction',
    operationId: 'enquireTransaction',
    part: 'one transaction',
    needs: 'Needs transaction_id.',
  },
  {
    path: '/order/fetch-transactions',
    operationId: 'enquirePaymentsOfOrder',
    part: 'payments of an order',
    needs: 'Needs an id of the order.',
  },
  {
    path: '/fetch-refund',
    operationId: 'enquireRefund',
    part: 'one refund',
    needs: 'Needs transaction_id, that of the refund, or refund_request_id.',
  },
  {
    path: '/order/fetch-refunds',
    operationId: 'enquireRefundsOfOrder',
    part: 'refunds of an order',
    needs: 'Needs an id of the order.',
  },
  {
    path: '/transaction/fetch-refunds',
    operationId: 'enquireRefundsOfPayment',
    part: 'refunds of a payment',
    needs: 'Needs transaction_id, that of the payment.',
  },
];

const common = {
  examples: 'transaction-enquiry',
  tag: 'Orders',
  access: 'order',
  reply: EnquiryReply,
  replyDescription: 'The order, and the transactions that were asked for.',
} as const;

export function addOlderReads(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  for (const { path, operationId, part, needs } of reads) {
    addOperation(app, `POST ${path}`, {
      ...common,
      operationId,
      summary: `Older clients: get ${part}`,
      description: `For clients that already call it; new ones call transaction-enquiry. ${needs} The reply is that of the enquiry, with ${part}.`,
      body: Body,
      errors: ['TRANSACTION_NOT_FOUND', 'ORDER_NOT_FOUND', 'INVOICE_NOT_FOUND'],
      handler: async ({ caller, body }) => {
        const enquiry = await useCases.enquirePart(caller, part, {
          transactionId: readTransactionId(body),
          orderId: toText(body.order_id),
          invoiceId: toText(body.invoice_id),
          refundRequestId: toText(body.refund_request_id),
        });
        return enquiryView(enquiry, { now: clock(), masked: caller.type !== 'merchant' });
      },
    });
  }
  addOperation(app, 'GET /get-order/:order_id', {
    ...common,
    operationId: 'getOlderOrder',
    summary: 'Older clients: get an order with all its transactions',
    description:
      'For clients that already call it; new ones call transaction-enquiry. The reply is that of the enquiry by order_id.',
    params: Params,
    errors: ['ORDER_NOT_FOUND'],
    handler: async ({ caller, params }) => {
      const { order_id: orderId } = params as Static<typeof Params>;
      const enquiry = await useCases.enquire(caller, { orderId });
      return enquiryView(enquiry, { now: clock(), masked: caller.type !== 'merchant' });
    },
  });
}

function readTransactionId(body: Body): string | undefined {
  const id = toText(body.transaction_id);
  const other = toText(body.svc_transaction_id);
  if (id !== undefined && other !== undefined && id !== other) {
    refuseField('svc_transaction_id', 'is another name of transaction_id: send one of them');
  }
  return id ?? other;
}
