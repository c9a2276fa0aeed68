/**
 * Binds the use cases that HTTP serves to the services of this process. Routes get the bound functions instead of the
 * services, so they cannot reach the database.
 */
import { authenticateCaller } from './accounts/authenticate-caller.ts';
import { findLogo } from './accounts/find-logo.ts';
import { generateToken } from './accounts/generate-token.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateEndpoint,
  updateEndpoint,
} from './events/change-endpoint.ts';
import { createEndpoint } from './events/create-endpoint.ts';
import {
  findAccountEvent,
  listAccountEndpoints,
  listAccountEvents,
} from './events/list-account-events.ts';
import { resendEvents } from './events/resend-events.ts';
import { resendUndelivered } from './events/resend-undelivered.ts';
import { testEndpoint } from './events/test-endpoint.ts';
import { getOverview } from './figures/get-overview.ts';
import { findMissingCredentials } from './inbox/authenticate-delivery.ts';
import { receiveDelivery } from './inbox/receive-delivery.ts';
import { exportOrders } from './order-lists/export-orders.ts';
import { listFilteredOrders } from './order-lists/list-filtered-orders.ts';
import { searchOrders } from './order-lists/search-orders.ts';
import { createLinkByHand } from './orders/create-link-by-hand.ts';
import { createOrder } from './orders/create-order.ts';
import { createPaymentLink } from './orders/create-payment-link.ts';
import { getOrder } from './orders/get-order.ts';
import { openLink } from './orders/open-link.ts';
import { refreshToken } from './orders/refresh-token.ts';
import { resolveUser } from './orders/resolve-user.ts';
import { updateOrder } from './orders/update-order.ts';
import { enquire } from './payments/enquire.ts';
import { findLaunch } from './payments/find-launch.ts';
import { findReturn } from './payments/find-return.ts';
import { getCheckout } from './payments/get-checkout.ts';
import { giveUpPayment } from './payments/give-up-payment.ts';
import { listChoices } from './payments/list-choices.ts';
import { listPaymentModes } from './payments/list-payment-modes.ts';
import { openCheckout } from './payments/open-checkout.ts';
import { refund } from './payments/refund.ts';
import { startPayment } from './payments/start-payment.ts';
import {
  acceptWithPasskey,
  acceptWithPassword,
  offerRegistration,
} from './users/accept-invitation.ts';
import { changeRole, removeMember } from './users/change-member.ts';
import {
  confirmWithPasskey,
  confirmWithPassword,
  offerConfirmation,
  requireConfirmation,
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
  authenticateCaller,
  changeRole,
  confirmWithPasskey,
  confirmWithPassword,
  createEndpoint,
  createLinkByHand,
  createOrder,
  createPaymentLink,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  endOtherSessions,
  endSession,
  enquire,
  exportOrders,
  findAccountEvent,
  findLaunch,
  findLogo,
  findMissingCredentials,
  findReturn,
  findSession,
  generateToken,
  getCheckout,
  getOrder,
  getOverview,
  giveUpPayment,
  inviteUser,
  joinAccount,
  listAccountEndpoints,
  listAccountEvents,
  listAuditLog,
  listChoices,
  listFilteredOrders,
  listPaymentModes,
  listSessions,
  listTeam,
  lookAtInvitation,
  offerConfirmation,
  offerPasskeySignIn,
  offerRegistration,
  openCheckout,
  openLink,
  receiveDelivery,
  refreshToken,
  refund,
  removeMember,
  requireConfirmation,
  resendEvents,
  resendUndelivered,
  resolveUser,
  rotateEndpoint,
  searchOrders,
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
