/** Who is signed in, in which account, and with which role. */
import { signal } from '@preact/signals';
import { get, isSignedOut, post, shownAccount } from './api.js';

/** @typedef {'viewer' | 'operator' | 'owner'} Role */
/** @typedef {{ account_id: string, name: string, role: Role, suspended: boolean }} OwnAccount */
/**
 * @typedef {object} Session
 * @property {{ user_id: string, email: string, has_password: boolean, has_passkey: boolean }} user
 * @property {OwnAccount[]} accounts
 * @property {OwnAccount | null} account
 * @property {{ session_id: string, confirmed_until: string, confirmed_again: boolean }} session
 */

/** Undefined until it is known, null if nobody is signed in. */
export const session = signal(/** @type {Session | null | undefined} */ (undefined));

/** Tells the other tabs that somebody has signed in or out, or has switched the account. */
const otherTabs = new BroadcastChannel('session');
otherTabs.onmessage = () => loadSession().catch(() => undefined);

export async function loadSession() {
  const { visit } = await get('/visit');
  if (visit) begin(visit);
  else session.value = null;
}

/** @param {Session} begun */
export function begin(begun) {
  session.value = begun;
  shownAccount.value = begun.account?.account_id ?? null;
  isSignedOut.value = false;
}

export async function signOut() {
  await post('/sign-out');
  session.value = null;
  otherTabs.postMessage('signed out');
}

/** @param {string} account_id */
export async function switchAccount(account_id) {
  await post('/account', { account_id });
  await loadSession();
  otherTabs.postMessage('switched');
}

const roles = /** @type {const} */ (['viewer', 'operator', 'owner']);

/**
 * Whether to offer an action. The service checks it again.
 * @param {Role} needed
 */
export function may(needed) {
  const role = session.value?.account?.role;
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed);
}
