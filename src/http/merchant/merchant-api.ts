/** The scope of merchants and their checkout pages: bearer tokens, and JSON bodies whatever the Content-Type. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Edge } from '../edge.ts';
import { addGuard } from '../guard.ts';
import { acceptJsonOnly } from '../read-json.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { addCreateOrder } from './create-order.ts';
import { addGenerateToken } from './generate-token.ts';
import { addGetOrder } from './get-order.ts';
import { addInitiatePayment } from './initiate-payment.ts';
import { addListsOfChoices } from './list-of-choices.ts';
import { addPaymentLink } from './payment-link.ts';
import { addPaymentModes } from './payment-modes.ts';
import { addRefreshToken } from './refresh-token.ts';
import { addRefund } from './refund.ts';
import { addResolveUser } from './resolve-user.ts';
import { addSealing } from './sealing.ts';
import { addTransactionEnquiry } from './transaction-enquiry.ts';
import { addUpdateOrder } from './update-order.ts';

export function merchantApi(edge: Edge): FastifyPluginAsync {
  return merchantScope(edge, (app) => {
    addGenerateToken(app, edge);
    addRefreshToken(app, edge);
    addCreateOrder(app, edge);
    addPaymentLink(app, edge);
    addGetOrder(app, edge);
    addTransactionEnquiry(app, edge);
    addResolveUser(app, edge);
    addUpdateOrder(app, edge);
    addPaymentModes(app, edge);
    addListsOfChoices(app, edge);
    addInitiatePayment(app, edge);
    addRefund(app, edge);
  });
}

/** Shipped clients make this one call under an older path. Contract 11.11. */
export function olderMerchantApi(edge: Edge): FastifyPluginAsync {
  return merchantScope(edge, (app) => addTransactionEnquiry(app, edge, { isAlias: true }));
}

function merchantScope(edge: Edge, addRoutes: (app: FastifyInstance) => void): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    addGuard(app, edge);
    readEveryBodyAsJson(app);
    addSealing(app, edge);
    addRoutes(app);
    refuseOtherMethods();
  };
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
      if (request.caller?.type === 'order') request.body = {};
    }
    done();
  });
}
