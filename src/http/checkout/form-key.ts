/** The key of the forms of a checkout. Only a page that was sent to the holder of the order token contains it. */

import { equalDigests } from '../../security/compare.ts';
import { hmac, hmacKeyOf } from '../../security/hmac.ts';

export function formKeyOf(orderToken: string): string {
  return hmac(hmacKeyOf(orderToken), 'checkout form', 'base64url');
}

export function hasFormKey(orderToken: string, sent: string): boolean {
  return equalDigests(formKeyOf(orderToken), sent);
}
