/** The payment partner: reports card, UPI, netbanking and wallet payments, and refunds. */

import { equalDigests } from '../../security/compare.ts';
import { hmacHex } from '../../security/hmac.ts';
import type { Provider } from '../provider.ts';
import { jsonObject, text } from '../wire.ts';
import { partnerBanks, partnerWallets } from './choices.ts';
import { displayName } from './display-name.ts';
import { partnerErasing } from './erase.ts';
import { partnerExemptFields } from './exempt-fields.ts';
import { partnerOutbound } from './outbound.ts';
import { partnerSettings } from './settings.ts';
import { translatePartner } from './translate.ts';

const proofHeader = 'x-razorpay-signature';

export const partner: Provider = {
  name: 'partner',
  displayName,
  paymentModeOtherwise: null,
  documentation: {
    loadSchema: async () => (await import('./schema.ts')).partnerSchema,
    proofDescription:
      'Hexadecimal HMAC-SHA256 of the raw bytes of the body under a live partner webhook secret of the account.',
    headers: {
      'x-razorpay-event-id': 'Identifier of the event. The same id with another body is flagged.',
    },
    acceptsFormData: false,
    examples: new URL('./examples.json', import.meta.url),
  },
  settings: partnerSettings,
  outbound: partnerOutbound,
  proofHeader,
  choices: { net_banking: partnerBanks, wallet: partnerWallets },
  verify: ({ headers, body }, secrets) => {
    const signature = headers[proofHeader];
    if (signature === undefined) return 'absent';
    let isVerified = false;
    for (const secret of secrets) {
      isVerified = equalDigests(hmacHex(secret, body), signature) || isVerified;
    }
    return isVerified ? 'verified' : 'refused';
  },
  findEventId: ({ headers }) => text(headers['x-razorpay-event-id']),
  findEventName: ({ body }) => text(jsonObject(body)?.event),
  findContentKey: () => undefined,
  storedHeaders: ['user-agent', 'x-razorpay-event-id'],
  exemptFields: partnerExemptFields,
  translate: ({ body }) => translatePartner(body),
  erasing: partnerErasing,
};
