/** The scope of the dashboard: sessions in a cookie, JSON bodies only, the error shape of the merchant API. Contract 13.2. */
import type { FastifyError } from 'fastify';
import { errorBody, prepareErrorReply } from '../error-reply.ts';
import type { HttpContext } from '../http-context.ts';
import { acceptJsonOnly } from '../read-json.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
import { addDashboardGuard } from './dashboard-guard.ts';
import { addDisputes } from './disputes.ts';
import { addEndpoints } from './endpoints.ts';
import { addEvents } from './events.ts';
import { addInbox } from './inbox.ts';
import { addOperations } from './operations.ts';
import { addOrderPage } from './order-page.ts';
import { addOrders } from './orders.ts';
import { addOverview } from './overview.ts';
import { addPaymentLinks } from './payment-links.ts';
import { addReview } from './review.ts';
import { addCredentials, addInvitation, addSession, addSignIn } from './session.ts';
import { addSettings } from './settings.ts';
import { addAuditLog, addTeam } from './team.ts';
import { addWhy } from './why.ts';

export function dashboardApi(context: HttpContext) {
  return refusingOtherMethods((app) => {
    addDashboardGuard(app, context);
    // A page of another site can post a form or plain text without asking, but not JSON.
    acceptJsonOnly(app);
    app.setErrorHandler((failure: FastifyError, request, reply) => {
      const error = prepareErrorReply(failure, request, reply);
      // The dashboard has a cookie and takes no bearer token.
      return reply.removeHeader('www-authenticate').send(errorBody(error));
    });
    addSignIn(app, context);
    addInvitation(app, context);
    addSession(app, context);
    addCredentials(app, context);
    addTeam(app, context);
    addSettings(app, context);
    addAuditLog(app, context);
    addOverview(app, context);
    addOrders(app, context);
    addOrderPage(app, context);
    addOperations(app, context);
    addWhy(app, context);
    addDisputes(app, context);
    addReview(app, context);
    addInbox(app, context);
    addEndpoints(app, context);
    addEvents(app, context);
    addPaymentLinks(app, context);
  });
}
