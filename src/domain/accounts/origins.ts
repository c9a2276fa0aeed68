/** Checks the lists of origins that an account has. */
import { refuseField } from '../errors.ts';
import { findOrigin } from '../web-address.ts';
import { accountLimits } from './limits.ts';

/** `kind` begins the refusal, such as `callback origin`. */
export function checkOrigins(kind: string, origins: readonly string[]): void {
  if (origins.length > accountLimits.originsMax) {
    refuseField(`${kind}s`, `may be at most ${accountLimits.originsMax}`);
  }
  for (const origin of origins) {
    if (findOrigin(origin) === origin) continue;
    refuseField(
      `${kind} ${origin}`,
      'must be https:// and a host, such as https://shop.example, or http:// and a host of this machine',
    );
  }
}
