/** Every use case that HTTP may call, each named once. `bind-use-cases.ts` gives them their services. */
export { authenticateCaller } from './accounts/authenticate-caller.ts';
export { changeSettings } from './accounts/change-settings.ts';
export { findLogo } from './accounts/find-logo.ts';
export { generateToken } from './accounts/generate-token.ts';
export { getSettings } from './accounts/get-settings.ts';
export { rotateSecret } from './accounts/rotate-secret.ts';
export { showSecret } from './accounts/show-secret.ts';
export { findLaunch } from './checkout/find-launch.ts';
export { findReturn } from './checkout/find-return.ts';
export { getCheckout } from './checkout/get-checkout.ts';
export { giveUpPayment } from './checkout/give-up-payment.ts';
export { listChoices } from './checkout/list-choices.ts';
export { listPaymentModes } from './checkout/list-payment-modes.ts';
export { openCheckout } from './checkout/open-checkout.ts';
export { deleteEndpoint, rotateEndpoint, updateEndpoint } from './events/change-endpoint.ts';
export { createEndpoint } from './events/create-endpoint.ts';
export { listAccountEndpoints } from './events/list-account-endpoints.ts';
export { listEvents } from './events/list-events.ts';
export { resendEvents } from './events/resend-events.ts';
export { resendUndelivered } from './events/resend-undelivered.ts';
export { findAccountEvent } from './events/show-event.ts';
export { testEndpoint } from './events/test-endpoint.ts';
export { findMissingCredentials } from './inbox/authenticate-delivery.ts';
export { listDeliveries } from './inbox/list-deliveries.ts';
export { receiveDelivery } from './inbox/receive-delivery.ts';
export { replayDelivery } from './inbox/replay-delivery.ts';
export { createLinkByHand } from './orders/create-link-by-hand.ts';
export { createOrder } from './orders/create-order.ts';
export { createPaymentLink } from './orders/create-payment-link.ts';
export { explainOrder } from './orders/explain-order.ts';
export { exportOrders } from './orders/export-orders.ts';
export { findDeliveryBody } from './orders/find-delivery-body.ts';
export { getOrder } from './orders/get-order.ts';
export { getOrderPage } from './orders/get-order-page.ts';
export { listFilterChoices } from './orders/list-filter-choices.ts';
export { listOrders } from './orders/list-orders.ts';
export { openLink } from './orders/open-link.ts';
export { refreshToken } from './orders/refresh-token.ts';
export { resolveUser } from './orders/resolve-user.ts';
export { searchOrders } from './orders/search-orders.ts';
export { updateOrder } from './orders/update-order.ts';
export { enquire } from './payments/enquire.ts';
export { refund } from './payments/refund.ts';
export { refundAsUser } from './payments/refund-as-user.ts';
export { startPayment } from './payments/start-payment.ts';
export { getOverview } from './reports/get-overview.ts';
export { countReview } from './review/count-review.ts';
export { listOpenReview } from './review/list-open-review.ts';
export { resolveReview } from './review/resolve-review.ts';
export {
  acceptWithPasskey,
  acceptWithPassword,
  offerRegistration,
} from './users/accept-invitation.ts';
export {
  addPasskey,
  changePassword,
  listPasskeys,
  offerPasskeyToAdd,
  removePasskey,
} from './users/change-credentials.ts';
export { changeRole, removeMember } from './users/change-member.ts';
export {
  confirmWithPasskey,
  confirmWithPassword,
  offerConfirmation,
  requireConfirmation,
  requireConfirmationAgain,
} from './users/confirm-session.ts';
export { endOtherSessions, endSession, listSessions } from './users/end-sessions.ts';
export { findSession } from './users/find-session.ts';
export { inviteUser, withdrawInvitation } from './users/invite-user.ts';
export { joinAccount } from './users/join-account.ts';
export { listAuditLog } from './users/list-audit-log.ts';
export { listTeam } from './users/list-team.ts';
export { lookAtInvitation } from './users/look-at-invitation.ts';
export { offerPasskeySignIn, signInWithPasskey, signInWithPassword } from './users/sign-in.ts';
export { switchAccount } from './users/switch-account.ts';
