/** The scope of merchants and their checkout pages: bearer tokens, and JSON bodies whatever the Content-Type. */
import type { FastifyInstance } from 'fastify';
import { addGuard } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { acceptJsonOnly } from '../read-json.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
import { addCreateOrder } from './create-order.ts';
import { addGetOrder } from './get-order.ts';
import { addInitiatePayment } from './initiate-payment.ts';
import { addOlderReads } from './older-reads.ts';
import { addOperations } from './operations.ts';
import { addPaymentLinks } from './payment-links.ts';
import { addListsOfChoices, addPaymentModes } from './payment-modes.ts';
import { addRefund } from './refund.ts';
import { addResolveUser } from './resolve-user.ts';
import { addSealing } from './sealing.ts';
import { addGenerateToken, addRefreshToken } from './tokens.ts';
import { addTransactionEnquiry } from './transaction-enquiry.ts';
import { addUpdateOrder } from './update-order.ts';

export function merchantApi(context: HttpContext) {
  return merchantScope(context, (app) => {
    addGenerateToken(app, context);
    addRefreshToken(app, context);
    addCreateOrder(app, context);
    addPaymentLinks(app, context);
    addGetOrder(app, context);
    addTransactionEnquiry(app, context);
    addResolveUser(app, context);
    addUpdateOrder(app, context);
    addPaymentModes(app, context);
    addListsOfChoices(app, context);
    addInitiatePayment(app, context);
    addRefund(app, context);
    addOperations(app, context);
  });
}

/** What shipped clients call under older paths: four calls of v3, and reads of their own. Contract 11.11. */
export function olderMerchantApi(context: HttpContext) {
  return merchantScope(context, (app) => {
    addGenerateToken(app, context, true);
    addCreateOrder(app, context, true);
    addTransactionEnquiry(app, context, true);
    addRefund(app, context, true);
    addOlderReads(app, context);
  });
}

function merchantScope(context: HttpContext, addRoutes: (app: FastifyInstance) => void) {
  return refusingOtherMethods((app) => {
    addGuard(app, context);
    readEveryBodyAsJson(app);
    addSealing(app, context);
    addRoutes(app);
  });
}

/** Contract 3.1: shipped clients send JSON with another, a malformed or no Content-Type. */
function readEveryBodyAsJson(app: FastifyInstance): void {
  acceptJsonOnly(app);
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const hasBody =
      headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
    if (hasBody) headers['content-type'] = 'application/json';
    else {
      delete headers['content-type'];
      // An order token identifies its order, so the body may be left out. Contract 2.10.
      if (request.foundCaller?.type === 'order') request.body = {};
    }
    done();
  });
}
