/** `POST /api/v3/transaction-enquiry`, also under `/api/v2`. Contract 5 and 11.11. */
import type { FastifyInstance } from 'fastify';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import { EnquiryBody, EnquiryReply } from './enquiry-schemas.ts';
import { enquiryView } from './enquiry-view.ts';
import { toText } from './order-request.ts';

/** `version` keeps the operation ids of the two paths apart. */
export function addTransactionEnquiry(
  app: FastifyInstance,
  { useCases, clock }: Edge,
  version: '' | 'V2' = '',
): void {
  app.post<{ Body: EnquiryBody; Reply: EnquiryReply }>('/transaction-enquiry', {
    config: { access: 'order' },
    schema: {
      operationId: `transactionEnquiry${version}`,
      summary: 'Get the latest status of an order and its transactions',
      tags: ['Orders'],
      body: EnquiryBody,
      response: { 200: EnquiryReply, ...errorReplies },
    },
    handler: async (request) => {
      const caller = getCaller(request);
      const enquiry = await useCases.enquire(caller, {
        transactionId: toText(request.body.transaction_id),
        orderId: toText(request.body.order_id),
        invoiceId: toText(request.body.invoice_id),
      });
      return enquiryView(enquiry, { now: clock(), masked: caller.type !== 'merchant' });
    },
  });
}
