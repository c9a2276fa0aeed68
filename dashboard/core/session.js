/** Who is signed in, in which account, and with which role. */
import { signal } from '@preact/signals';
import { ApiError, get, isSignedOut, post, shownAccount } from './api.js';
import { forgetReplies } from './replies.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/session.ts').sessionView>} Session */
/** @typedef {Session['accounts'][number]} OwnAccount */
/** @typedef {OwnAccount['role']} Role */

/** Undefined until it is known, null if nobody is signed in. */
export const session = signal(/** @type {Session | null | undefined} */ (undefined));

/** Why it is not known who is signed in. */
export const sessionError = signal(/** @type {ApiError | undefined} */ (undefined));

/** Tells the other tabs that somebody has signed in or out, or has switched the account. */
const otherTabs = new BroadcastChannel('session');
otherTabs.onmessage = ({ data }) => {
  if (data === 'signed out') leave();
  else startSession();
};
// Also for a page that was opened without a connection, and for one that has no live data.
addEventListener('online', () => startSession());

/** Like `loadSession`, and what went wrong is shown as long as there is no session. */
export async function startSession() {
  try {
    await loadSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    sessionError.value = error;
  }
}

export async function loadSession() {
  const { visit } = await get('/visit');
  if (visit) begin(visit);
  // A page with something typed into it stays.
  else if (session.peek()) isSignedOut.value = true;
  else session.value = null;
}

/** @param {Session} begun */
export function begin(begun) {
  if (viewOf(begun) !== viewOf(session.peek())) forgetReplies();
  session.value = begun;
  shownAccount.value = begun.account?.account_id ?? null;
  isSignedOut.value = false;
}

/**
 * Whose data is shown: another user, and another role, may see other data of the same account.
 * @param {Session | null | undefined} of
 */
function viewOf(of) {
  return [of?.user.user_id, of?.account?.account_id, of?.account?.role].join(' ');
}

/**
 * After signing in. The new session may show another account than the page does: the same user stays in the account of
 * the page.
 * @param {Session} begun
 */
export async function enter(begun) {
  const accountId = shownAccount.peek();
  const isSameUser = begun.user.user_id === session.peek()?.user.user_id;
  const isOwn = begun.accounts.some(({ account_id }) => account_id === accountId);
  if (isSameUser && isOwn && begun.account?.account_id !== accountId) {
    await post('/account', { account_id: accountId });
    await loadSession();
  } else begin(begun);
  otherTabs.postMessage('signed in');
}

export async function signOut() {
  try {
    await post('/sign-out');
  } catch (error) {
    // The session had ended before.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  leave();
  otherTabs.postMessage('signed out');
}

function leave() {
  session.value = null;
  shownAccount.value = null;
  isSignedOut.value = false;
  forgetReplies();
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
