/**
 * The last replies, for the way back: a page that is there at once has its former height, so the browser finds the place
 * where the user was. Nothing outlives the account, the user or the page.
 */
import { shownAccount } from './api.js';

const repliesMax = 30;
/** @type {Map<string, any>} */
const replies = new Map();

/**
 * @param {string | null} account The one that was shown when the call was made.
 * @param {string} path
 * @param {any} reply
 */
export function keepReply(account, path, reply) {
  const key = keyOf(account, path);
  replies.delete(key);
  replies.set(key, reply);
  for (const oldest of replies.keys()) {
    if (replies.size <= repliesMax) return;
    replies.delete(oldest);
  }
}

/** @param {string} path */
export function findReply(path) {
  return replies.get(keyOf(shownAccount.peek(), path));
}

export function forgetReplies() {
  replies.clear();
}

/**
 * @param {string | null} account
 * @param {string} path
 */
function keyOf(account, path) {
  return `${account} ${path}`;
}
