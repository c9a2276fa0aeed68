/** What an owner may change of the settings, each field only if it is given. Contract 13.8. */
import { type Static, Type } from 'typebox';
import { signatureVersions } from '../../domain/accounts/account.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { refuseField } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { paymentModeCodes } from '../../domain/payment-mode.ts';
import type { RequestedSettings } from '../../use-cases/accounts/change-settings.ts';

const Text = Type.String({ maxLength: limits.textCharsMax });
const TextOrNull = Type.Union([Text, Type.Null()]);
const Origins = Type.Array(Text, { maxItems: 2 * accountLimits.originsMax });
const ProviderOrNull = Type.Optional(TextOrNull);

const fields = {
  name: Text,
  optional_order_details: Type.Boolean(),
  encrypted_payloads: Type.Boolean(),
  signature_version: Type.Unsafe<(typeof signatureVersions)[number]>({
    ...{ type: 'string', enum: [...signatureVersions] },
  }),
  alternate_currencies: Type.Array(
    Type.Object({ from: Text, to: Text, rate: Text, confirmed_rate: Type.Optional(Text) }),
    { maxItems: 200 },
  ),
  payment_modes: Type.Object(
    Object.fromEntries(paymentModeCodes.map((code) => [code, ProviderOrNull])),
    { additionalProperties: false },
  ),
  providers: Type.Record(Type.String({ maxLength: 64 }), Text),
  callback_origins: Origins,
  frame_origins: Origins,
  colour: TextOrNull,
  support_email: TextOrNull,
  support_phone: TextOrNull,
  support_url: TextOrNull,
  upi_collect: Type.Boolean(),
  /** The bytes of an image in base64. */
  logo: Type.Union([Type.String(), Type.Null()]),
};

export const SettingsBody = Type.Partial(Type.Object(fields), { additionalProperties: false });
type Body = Static<typeof SettingsBody>;

/** A logo in base64 is a third longer than its bytes. The rest is for the other fields. */
export const settingsBodyBytesMax = 2 * accountLimits.logoBytesMax;

/** The names of the fields inside. */
const names = {
  name: 'name',
  optional_order_details: 'optionalOrderDetails',
  encrypted_payloads: 'encryptedPayloads',
  signature_version: 'signatureVersion',
  payment_modes: 'paymentModes',
  providers: 'providerOptions',
  callback_origins: 'callbackOrigins',
  frame_origins: 'frameOrigins',
  colour: 'colour',
  support_email: 'supportEmail',
  support_phone: 'supportPhone',
  support_url: 'supportUrl',
  upi_collect: 'upiCollect',
} as const satisfies Record<
  Exclude<keyof Body, 'alternate_currencies' | 'logo'>,
  keyof RequestedSettings
>;

export function readSettings({ alternate_currencies, logo, ...given }: Body): RequestedSettings {
  const requested = Object.entries(given).map(([name, value]) => [
    names[name as keyof typeof names],
    value,
  ]);
  return {
    ...Object.fromEntries(requested),
    ...(alternate_currencies && {
      alternateCurrencies: alternate_currencies.map(({ confirmed_rate, ...rate }) => ({
        ...rate,
        ...(confirmed_rate !== undefined && { confirmedRate: confirmed_rate }),
      })),
    }),
    ...(logo !== undefined && { logo: logo === null ? null : readBase64(logo) }),
  };
}

/** `Buffer` would silently leave out whatever is no base64. */
function readBase64(text: string): Buffer {
  if (!/^[\w+/]*={0,2}$/.test(text) || text.includes('_')) {
    refuseField('logo', 'must be the bytes of an image in base64');
  }
  return Buffer.from(text, 'base64');
}
