/** `POST /api/v3/transaction-enquiry`, also under `/api/v2`. Contract 5 and 11.11. */
import type { FastifyInstance } from 'fastify';
import { refuseField } from '../../domain/errors.ts';
import type { HttpContext } from '../http-context.ts';
import { EnquiryBody, EnquiryReply } from './enquiry-schemas.ts';
import { enquiryView } from './enquiry-view.ts';
import { addOperation } from './operation.ts';
import { toText } from './order-request.ts';

export function addTransactionEnquiry(
  app: FastifyInstance,
  { useCases, clock }: HttpContext,
  isAlias = false,
): void {
  addOperation(app, 'POST /transaction-enquiry', {
    isAlias,
    operationId: 'enquireTransactions',
    tag: 'Orders',
    access: 'order',
    summary: 'Get the latest status of an order and its transactions',
    description:
      'The reply reflects every webhook that was answered before. The provider is polled in the background about payments that are not final, at most once a minute, so ask again.',
    body: EnquiryBody,
    reply: EnquiryReply,
    replyDescription: 'The order and its transactions.',
    errors: ['TRANSACTION_NOT_FOUND', 'ORDER_NOT_FOUND', 'INVOICE_NOT_FOUND'],
    aliases: ['POST /api/v2/transaction-enquiry'],
    handler: async (request) => {
      const { caller, body } = request;
      const enquiry = await useCases.enquire(caller, {
        transactionId: readTransactionId(body),
        orderId: toText(body.order_id),
        invoiceId: toText(body.invoice_id),
      });
      return enquiryView(enquiry, { now: clock(), masked: caller.type !== 'merchant' });
    },
  });
}

export function readTransactionId(body: EnquiryBody): string | undefined {
  const id = toText(body.transaction_id);
  const other = toText(body.svc_transaction_id);
  if (id !== undefined && other !== undefined && id !== other) {
    refuseField('svc_transaction_id', 'is another name of transaction_id: send one of them');
  }
  return id ?? other;
}
