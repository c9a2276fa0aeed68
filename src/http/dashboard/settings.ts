/** The settings and secrets of the current account. Everybody sees the settings, owners change them. Contract 13.8. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  captureModes,
  latePaymentRules,
  type SecretKind,
  signatureVersions,
} from '../../domain/accounts/account.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { refuseField } from '../../domain/errors.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import { paymentModeCodes, paymentModes } from '../../domain/payment-mode.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { RequestedSettings } from '../../use-cases/accounts/change-settings.ts';
import type { Settings } from '../../use-cases/accounts/get-settings.ts';
import { basePathOf, type HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';

const Text = Type.String({ maxLength: limits.textCharsMax });
const TextOrNull = Type.Union([Text, Type.Null()]);
const Origins = Type.Array(Text, { maxItems: 2 * accountLimits.originsMax });
const ProviderOrNull = Type.Optional(TextOrNull);

const oneOf = <Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values] });

const SettingsBody = Type.Partial(
  Type.Object({
    name: Text,
    optional_order_details: Type.Boolean(),
    encrypted_payloads: Type.Boolean(),
    signature_version: oneOf(signatureVersions),
    capture_mode: oneOf(captureModes),
    late_payments: oneOf(latePaymentRules),
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
    logo: Type.Union([Type.String(), Type.Null()]),
  }),
);
type SettingsBody = Static<typeof SettingsBody>;

/** A logo in base64 is a third longer than its bytes. The rest is for the other fields. */
const settingsBodyBytesMax = 2 * accountLimits.logoBytesMax;

const withRotation = {
  body: Type.Object({
    overlap_seconds: Type.Integer({ minimum: 0, maximum: accountLimits.secretOverlapSecondsMax }),
    /** For a provider that generates the secret itself. */
    value: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
  }),
};

/** Settings that change without a confirmation: they affect neither money nor access. Contract 13.9. */
const unconfirmedSettings: readonly string[] = [
  'name',
  'colour',
  'logo',
  'upi_collect',
  'optional_order_details',
] satisfies (keyof SettingsBody)[];

export function addSettings(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;
  const view = async (accountId: string) =>
    settingsView(await useCases.getSettings(accountId), basePathOf(context));

  addRoute(app, 'viewer', 'GET /settings', {}, ({ account }) => view(account.accountId));

  const withSettings = {
    body: SettingsBody,
    bodyLimit: settingsBodyBytesMax,
    isConfirmedByHandler: true,
  };
  addRoute(app, 'owner', 'PATCH /settings', withSettings, async (request) => {
    const { account, actor, signedIn, body } = request;
    if (!Object.keys(body).every((name) => unconfirmedSettings.includes(name))) {
      useCases.requireConfirmation(signedIn);
    }
    await useCases.changeSettings(account.accountId, readSettings(body), actor);
    return view(account.accountId);
  });

  addRoute(app, 'owner', 'POST /settings/secrets/:name/show', {}, async (request) => {
    const { account, actor, signedIn, params } = request;
    useCases.requireConfirmationAgain(signedIn);
    const secret = await useCases.showSecret(account.accountId, params.name, actor);
    return { name: params.name, secret };
  });

  addRoute(app, 'owner', 'POST /settings/secrets/:name/rotate', withRotation, async (request) => {
    const { name } = request.params;
    const { secret, oldValidUntil } = await useCases.rotateSecret(
      request.account.accountId,
      name,
      request.body.overlap_seconds,
      request.actor,
      request.body.value,
    );
    return { name, secret, old_valid_until: oldValidUntil.toISOString() };
  });
}

function readSettings({
  alternate_currencies,
  logo,
  providers,
  ...given
}: SettingsBody): RequestedSettings {
  const renamed = Object.entries(given).map(([name, value]) => [camelCase(name), value]);
  return {
    ...Object.fromEntries(renamed),
    ...(providers && { providerOptions: providers }),
    ...(alternate_currencies && {
      alternateCurrencies: alternate_currencies.map(({ confirmed_rate, ...rate }) =>
        withoutAbsent({ ...rate, confirmedRate: confirmed_rate }),
      ),
    }),
    ...(logo !== undefined && { logo: logo === null ? null : readBase64(logo) }),
  };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `Buffer` would silently leave out whatever is no base64. */
function readBase64(text: string): Buffer {
  if (!/^[\w+/]*={0,2}$/.test(text) || text.includes('_')) {
    refuseField('logo', 'must be the bytes of an image in base64');
  }
  return Buffer.from(text, 'base64');
}

export function settingsView(settings: Settings, basePath: string) {
  return {
    account_id: settings.accountId,
    created_at: settings.createdAt.toISOString(),
    access_key: settings.accessKey,
    name: settings.name,
    optional_order_details: settings.optionalOrderDetails,
    encrypted_payloads: settings.encryptedPayloads,
    signature_version: settings.signatureVersion,
    capture_mode: settings.captureMode,
    late_payments: settings.latePayments,
    requests_per_second: settings.requestsPerSecond,
    secrets: settings.secrets.map(({ kind, createdAt, former }) => ({
      name: kind,
      title: secretTitle(settings, kind),
      ...withSnakeCase({ createdAt, former }),
    })),
    providers: settings.providers.map(providerView),
    payment_modes: paymentModeCodes.map((code) => ({
      mode: code,
      title: paymentModes[code],
      provider: settings.paymentModes[code] ?? null,
    })),
    alternate_currencies: settings.alternateCurrencies,
    former_rates: settings.formerRates,
    callback_origins: settings.callbackOrigins,
    frame_origins: settings.frameOrigins,
    ...brandingView(settings, basePath),
  };
}

function secretTitle({ providers }: Settings, kind: SecretKind): string {
  const owner = providers.find(({ webhookSecret }) => webhookSecret === kind);
  return owner ? `${owner.displayName} webhook secret` : 'Access secret';
}

function providerView({ options, ...provider }: Settings['providers'][number]) {
  const { name, displayName: title, webhookUrl, webhookSecret } = provider;
  return {
    ...withSnakeCase({ name, title, webhookUrl, webhookSecret }),
    options: options.map(({ option, ...described }) => ({
      name: option,
      ...withSnakeCase(described),
    })),
  };
}

function brandingView({ logo, shades, ...settings }: Settings, basePath: string) {
  const { colour, supportEmail, supportPhone, supportUrl, upiCollect } = settings;
  return {
    ...withSnakeCase({ colour, shades }),
    logo: logo && {
      url: `${basePath}/checkout/logo/${settings.accountId}/${logo.digest}`,
      media_type: logo.mediaType,
      bytes: logo.byteCount,
    },
    ...withSnakeCase({ supportEmail, supportPhone, supportUrl, upiCollect }),
  };
}
