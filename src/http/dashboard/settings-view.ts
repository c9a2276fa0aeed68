/** The settings of an account in the field names of the API. Contract 13.8. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import { paymentModeCodes, paymentModes } from '../../domain/payment-mode.ts';
import type { ListedProvider, Settings } from '../../use-cases/accounts/get-settings.ts';

export function settingsView(settings: Settings, basePath: string) {
  return {
    account_id: settings.accountId,
    created_at: settings.createdAt.toISOString(),
    access_key: settings.accessKey,
    name: settings.name,
    optional_order_details: settings.optionalOrderDetails,
    encrypted_payloads: settings.encryptedPayloads,
    signature_version: settings.signatureVersion,
    requests_per_second: settings.requestsPerSecond,
    secrets: settings.secrets.map(({ kind, createdAt, former }) => ({
      ...{ name: kind, title: secretTitle(settings, kind) },
      created_at: createdAt?.toISOString() ?? null,
      former: former.map((secret) => ({
        created_at: secret.createdAt.toISOString(),
        valid_until: secret.validUntil.toISOString(),
      })),
    })),
    providers: settings.providers.map(providerView),
    payment_modes: paymentModeCodes.map((code) => ({
      ...{ mode: code, title: paymentModes[code], provider: settings.paymentModes[code] ?? null },
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

function providerView(provider: ListedProvider) {
  return {
    name: provider.name,
    title: provider.displayName,
    webhook_url: provider.webhookUrl,
    webhook_secret: provider.webhookSecret,
    options: provider.options.map(({ option, setAt, ...described }) => ({
      ...{ name: option, ...described, set_at: setAt?.toISOString() ?? null },
    })),
  };
}

function brandingView({ logo, shades, ...settings }: Settings, basePath: string) {
  const shadeView = ({ button, onButton, text }: typeof shades.light) => ({
    ...{ button, on_button: onButton, text },
  });
  return {
    colour: settings.colour,
    shades: { light: shadeView(shades.light), dark: shadeView(shades.dark) },
    logo: logo && {
      url: `${basePath}/checkout/logo/${settings.accountId}/${logo.digest}`,
      media_type: logo.mediaType,
      bytes: logo.byteCount,
    },
    support_email: settings.supportEmail,
    support_phone: settings.supportPhone,
    support_url: settings.supportUrl,
    upi_collect: settings.upiCollect,
  };
}
