/** Every use case that HTTP may call, each named once. `bind-use-cases.ts` gives them their services. */
export { authenticateCaller } from './accounts/authenticate-caller.ts';
export { changeSettings } from './accounts/change-settings.ts';
export { findLogo } from './accounts/find-logo.ts';
export { generateToken } from './accounts/generate-token.ts';
export { getSettings } from './accounts/get-settings.ts';
export { rotateSecret, showSecret } from './accounts/rotate-secret.ts';
export { findLaunch } from './checkout/find-launch.ts';
export { findReturn } from './checkout/find-return.ts';
export { getCheckout, openCheckout } from './checkout/get-checkout.ts';
export { giveUpPayment } from './checkout/give-up-payment.ts';
export { listChoices, listPaymentModes } from './checkout/list-payment-modes.ts';
export { getEvidence } from './disputes/get-evidence.ts';
export { listDisputes, sumAccountDisputes } from './disputes/list-disputes.ts';
export {
  createEndpoint,
  deleteEndpoint,
  listAccountEndpoints,
  rotateEndpoint,
  updateEndpoint,
} from './events/endpoints.ts';
export { findAccountEvent, listEvents } from './events/list-events.ts';
export { resendEvents, resendUndelivered } from './events/resend-events.ts';
export { testEndpoint } from './events/test-endpoint.ts';
export { findMissingCredentials } from './inbox/authenticate-delivery.ts';
export { findDeliveryBody } from './inbox/describe-contents.ts';
export { listDeliveries } from './inbox/list-deliveries.ts';
export { receiveDelivery } from './inbox/receive-delivery.ts';
export { replayDelivery } from './inbox/replay-delivery.ts';
export { cancelLinkOfOrder, cancelPaymentLink } from './orders/cancel-payment-link.ts';
export { createOrder } from './orders/create-order.ts';
export { createLinkByHand, createPaymentLink } from './orders/create-payment-link.ts';
export { explainOrder } from './orders/explain-order.ts';
export { exportOrders } from './orders/export-orders.ts';
export { getOrder } from './orders/get-order.ts';
export { getOrderPage } from './orders/get-order-page.ts';
export { listFilterChoices, listOrders } from './orders/list-orders.ts';
export { openLink, refreshToken } from './orders/order-tokens.ts';
export { resolveUser } from './orders/resolve-user.ts';
export { searchOrders } from './orders/search-orders.ts';
export { updateOrder } from './orders/update-order.ts';
export { updatePaymentLink } from './orders/update-payment-link.ts';
export { enquire } from './payments/enquire.ts';
export { enquireLink } from './payments/enquire-link.ts';
export { enquirePart } from './payments/enquire-part.ts';
export { operate, operateAs } from './payments/operate.ts';
export { refund, refundAsUser } from './payments/refund.ts';
export { startPayment } from './payments/start-payment.ts';
export { getOverview } from './reports/get-overview.ts';
export { countReview, listReview } from './review/list-review.ts';
export { resolveReview } from './review/resolve-review.ts';
export {
  acceptWithPasskey,
  acceptWithPassword,
  joinAccount,
  lookAtInvitation,
  offerRegistration,
} from './users/accept-invitation.ts';
export {
  addPasskey,
  changePassword,
  listPasskeys,
  offerPasskeyToAdd,
  removePasskey,
} from './users/change-credentials.ts';
export { changeRole, listTeam } from './users/change-member.ts';
export {
  confirmWithPasskey,
  confirmWithPassword,
  offerConfirmation,
  requireConfirmation,
  requireConfirmationAgain,
} from './users/confirm-session.ts';
export { inviteUser, withdrawInvitation } from './users/invite-user.ts';
export { listAuditLog } from './users/list-audit-log.ts';
export {
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  switchAccount,
} from './users/sessions.ts';
export { offerPasskeySignIn, signInWithPasskey, signInWithPassword } from './users/sign-in.ts';
