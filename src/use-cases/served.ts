/**
 * Binds the use cases that HTTP serves to the services of this process. Routes get the bound functions instead of the
 * services, so they cannot reach the database.
 */
import { authenticateCaller } from './accounts/authenticate-caller.ts';
import { changeSettings } from './accounts/change-settings.ts';
import { findLogo } from './accounts/find-logo.ts';
import { generateToken } from './accounts/generate-token.ts';
import { getSettings } from './accounts/get-settings.ts';
import { rotateSecret } from './accounts/rotate-secret.ts';
import { showSecret } from './accounts/show-secret.ts';
import { findLaunch } from './checkout/find-launch.ts';
import { findReturn } from './checkout/find-return.ts';
import { getCheckout } from './checkout/get-checkout.ts';
import { giveUpPayment } from './checkout/give-up-payment.ts';
import { listChoices } from './checkout/list-choices.ts';
import { listPaymentModes } from './checkout/list-payment-modes.ts';
import { openCheckout } from './checkout/open-checkout.ts';
import { deleteEndpoint, rotateEndpoint, updateEndpoint } from './events/change-endpoint.ts';
import { createEndpoint } from './events/create-endpoint.ts';
import { listAccountEndpoints } from './events/list-account-endpoints.ts';
import { listEvents } from './events/list-events.ts';
import { resendEvents } from './events/resend-events.ts';
import { resendUndelivered } from './events/resend-undelivered.ts';
import { findAccountEvent } from './events/show-event.ts';
import { testEndpoint } from './events/test-endpoint.ts';
import { findMissingCredentials } from './inbox/authenticate-delivery.ts';
import { listDeliveries } from './inbox/list-deliveries.ts';
import { receiveDelivery } from './inbox/receive-delivery.ts';
import { replayDelivery } from './inbox/replay-delivery.ts';
import { createLinkByHand } from './orders/create-link-by-hand.ts';
import { createOrder } from './orders/create-order.ts';
import { createPaymentLink } from './orders/create-payment-link.ts';
import { explainOrder } from './orders/explain-order.ts';
import { exportOrders } from './orders/export-orders.ts';
import { findDeliveryBody } from './orders/find-delivery-body.ts';
import { getOrder } from './orders/get-order.ts';
import { getOrderPage } from './orders/get-order-page.ts';
import { listFilterChoices } from './orders/list-filter-choices.ts';
import { listOrders } from './orders/list-orders.ts';
import { openLink } from './orders/open-link.ts';
import { refreshToken } from './orders/refresh-token.ts';
import { resolveUser } from './orders/resolve-user.ts';
import { searchOrders } from './orders/search-orders.ts';
import { updateOrder } from './orders/update-order.ts';
import { enquire } from './payments/enquire.ts';
import { refund } from './payments/refund.ts';
import { refundAsUser } from './payments/refund-as-user.ts';
import { startPayment } from './payments/start-payment.ts';
import { getOverview } from './reports/get-overview.ts';
import { countReview } from './review/count-review.ts';
import { listOpenReview } from './review/list-open-review.ts';
import { resolveReview } from './review/resolve-review.ts';
import {
  acceptWithPasskey,
  acceptWithPassword,
  offerRegistration,
} from './users/accept-invitation.ts';
import {
  addPasskey,
  changePassword,
  listPasskeys,
  offerPasskeyToAdd,
  removePasskey,
} from './users/change-credentials.ts';
import { changeRole, removeMember } from './users/change-member.ts';
import {
  confirmWithPasskey,
  confirmWithPassword,
  offerConfirmation,
  requireConfirmation,
  requireConfirmationAgain,
} from './users/confirm-session.ts';
import { endOtherSessions, endSession, listSessions } from './users/end-sessions.ts';
import { findSession } from './users/find-session.ts';
import { inviteUser, withdrawInvitation } from './users/invite-user.ts';
import { joinAccount } from './users/join-account.ts';
import { listAuditLog } from './users/list-audit-log.ts';
import { listTeam } from './users/list-team.ts';
import { lookAtInvitation } from './users/look-at-invitation.ts';
import { offerPasskeySignIn, signInWithPasskey, signInWithPassword } from './users/sign-in.ts';
import { switchAccount } from './users/switch-account.ts';

const served = {
  acceptWithPasskey,
  acceptWithPassword,
  addPasskey,
  authenticateCaller,
  changePassword,
  changeRole,
  changeSettings,
  confirmWithPasskey,
  confirmWithPassword,
  countReview,
  createEndpoint,
  createLinkByHand,
  createOrder,
  createPaymentLink,
  deleteEndpoint,
  endOtherSessions,
  endSession,
  enquire,
  explainOrder,
  exportOrders,
  findAccountEvent,
  findDeliveryBody,
  findLaunch,
  findLogo,
  findMissingCredentials,
  findReturn,
  findSession,
  generateToken,
  getCheckout,
  getOrder,
  getOrderPage,
  getOverview,
  getSettings,
  giveUpPayment,
  inviteUser,
  joinAccount,
  listAccountEndpoints,
  listAuditLog,
  listChoices,
  listDeliveries,
  listEvents,
  listFilterChoices,
  listOpenReview,
  listOrders,
  listPasskeys,
  listPaymentModes,
  listSessions,
  listTeam,
  lookAtInvitation,
  offerConfirmation,
  offerPasskeySignIn,
  offerPasskeyToAdd,
  offerRegistration,
  openCheckout,
  openLink,
  receiveDelivery,
  refreshToken,
  refund,
  refundAsUser,
  removeMember,
  removePasskey,
  replayDelivery,
  requireConfirmation,
  requireConfirmationAgain,
  resendEvents,
  resendUndelivered,
  resolveReview,
  resolveUser,
  rotateEndpoint,
  rotateSecret,
  searchOrders,
  showSecret,
  signInWithPasskey,
  signInWithPassword,
  startPayment,
  switchAccount,
  testEndpoint,
  updateEndpoint,
  updateOrder,
  withdrawInvitation,
};

type Served = typeof served;
type Bound<UseCase> = UseCase extends (needs: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;
/** The needs of all use cases combined. */
type Needs = Served[keyof Served] extends (needs: infer Each, ...rest: never[]) => unknown
  ? Each
  : never;

export type UseCases = { readonly [Name in keyof Served]: Bound<Served[Name]> };

export function bindUseCases(services: Needs): UseCases {
  const bound = Object.entries(served).map(([name, useCase]) => [
    name,
    (useCase as (...parameters: unknown[]) => unknown).bind(undefined, services),
  ]);
  return Object.fromEntries(bound);
}
