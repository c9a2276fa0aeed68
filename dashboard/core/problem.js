/** What to say about an error. */
import { ApiError } from './api.js';

/** @param {unknown} error */
export function problemOf(error) {
  if (error instanceof ApiError) {
    const { retryAfterSeconds, message } = error;
    return retryAfterSeconds ? `${message} Try again in ${retryAfterSeconds} s.` : message;
  }
  // The user of a passkey has cancelled, or the device has none.
  if (error instanceof DOMException) return 'The passkey was not used. Please try again.';
  // Its words are for developers, who find it in the console.
  reportError(error);
  return 'Something went wrong on this page. Reload it and try again.';
}
