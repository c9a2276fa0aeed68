/** A provider that the service does not include. It shows that adding a provider takes one folder and one line. */
import { Type } from 'typebox';
import type { Provider } from '../../../src/providers/provider.ts';
import { jsonObject, text } from '../../../src/providers/wire.ts';
import { equalDigests } from '../../../src/security/compare.ts';
import { hmacHex } from '../../../src/security/hmac.ts';
import { acmePayErasing } from './erase.ts';
import { acmePayOutbound } from './outbound.ts';
import { acmePaySettings } from './settings.ts';
import { translateAcmePay } from './translate.ts';

const proofHeader = 'x-acme-signature';
const eventHeader = 'x-acme-event';

const eventSchema = Type.Object(
  {
    type: Type.String({ description: 'charge.updated or return.updated' }),
    store: Type.String({ description: 'Identifier of the store.' }),
    charge: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'A charge.' })),
    return: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'A return.' })),
  },
  { title: 'AcmePayEvent', description: 'An event of Acme Pay.' },
);

export const acmePay: Provider = {
  name: 'acme-pay',
  displayName: 'Acme Pay',
  paymentModeOtherwise: 'Wallet',
  documentation: {
    loadSchema: async () => eventSchema,
    proofDescription: 'Hexadecimal HMAC-SHA256 of the body.',
    headers: { [eventHeader]: 'Identifier of the event.' },
    acceptsFormData: false,
    examples: new URL('./examples.json', import.meta.url),
  },
  settings: acmePaySettings,
  outbound: acmePayOutbound,
  proofHeader,
  verify: ({ headers, body }, secrets) => {
    const signature = headers[proofHeader];
    if (signature === undefined) return 'absent';
    const matches = secrets.filter((secret) => equalDigests(hmacHex(secret, body), signature));
    return matches.length > 0 ? 'verified' : 'refused';
  },
  findEventId: ({ headers }) => text(headers[eventHeader]),
  findEventName: ({ body }) => text(jsonObject(body)?.type),
  findContentKey: () => undefined,
  storedHeaders: [eventHeader],
  exemptFields: {
    references: /^(?:store|(?:charge|return)\.(?:id|charge|reference))$/,
    amounts: /^(?:charge|return)\.cents$/,
  },
  translate: ({ body }, account) => translateAcmePay(body, account),
  erasing: acmePayErasing,
};
