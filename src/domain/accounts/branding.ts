/** How the checkout page of an account looks, and whom its consumers can ask. Nothing of it is secret. Contract 14.2. */
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';
import { findOrigin, isSecureWebAddress } from '../web-address.ts';
import { findColour } from './colour.ts';
import { accountLimits } from './limits.ts';

export type Branding = {
  /** `#rrggbb` in lower case; null for ours. */
  readonly colour: string | null;
  /** The three ways to reach the shop are shown to consumers. */
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  readonly supportUrl: string | null;
  /** Origins that may show the checkout page in a frame; empty for none. */
  readonly frameOrigins: readonly string[];
  /** Whether consumers may type a UPI id. */
  readonly upiCollect: boolean;
};

export const brandingDefaults: Branding = {
  colour: null,
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
  frameOrigins: [],
  upiCollect: false,
};

export function checkBranding(branding: Branding): void {
  const { colour, supportEmail, supportPhone, supportUrl, frameOrigins } = branding;
  if (colour !== null && findColour(colour) !== colour) {
    refuseField('colour', 'must be # and six lower-case hex digits, such as #0a7cff');
  }
  if (supportEmail !== null && !isPlainEmail(supportEmail)) {
    refuseField('support email', 'must be an e-mail address such as help@shop.example');
  }
  if (supportPhone !== null && !isPhone(supportPhone)) {
    const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
    refuseField('support phone', `must be a number of ${min} to ${max} digits such as +91 80 1234`);
  }
  if (supportUrl !== null && !isPage(supportUrl)) {
    refuseField('support URL', 'must be an https URL, or an http URL of this machine');
  }
  checkOrigins('frame origin', frameOrigins);
}

/** It becomes a mailto link, where other characters could add recipients or a text. */
function isPlainEmail(text: string): boolean {
  const isAddress = /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i.test(text);
  return isAddress && text.length <= limits.emailCharsMax;
}

/** It becomes a tel link, and is shown as it is written. */
function isPhone(text: string): boolean {
  if (!/^\+?[\d(][\d ().-]*$/.test(text) || text.length > accountLimits.supportPhoneCharsMax)
    return false;
  const { length } = text.replaceAll(/\D/g, '');
  return length >= limits.mobileNumberDigitsMin && length <= limits.mobileNumberDigitsMax;
}

function isPage(text: string): boolean {
  return text.length <= limits.textCharsMax && isSecureWebAddress(text);
}

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
