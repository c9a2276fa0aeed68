/** The settings and secrets of the current account. Everybody sees the settings, owners change them. Contract 13.8. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { basePathOf } from '../site.ts';
import { getAccount, getActor, getSignedIn } from './dashboard-guard.ts';
import { readSettings, SettingsBody, settingsBodyBytesMax } from './settings-body.ts';
import { settingsView } from './settings-view.ts';

const RotationBody = Type.Object({
  overlap_seconds: Type.Integer({ minimum: 0, maximum: accountLimits.secretOverlapSecondsMax }),
  /** For a provider that generates the secret itself. */
  value: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
});
type SecretParams = { readonly name: string };

/** Settings that change without a confirmation: they affect neither money nor access. Contract 13.9. */
const unconfirmedSettings: readonly string[] = [
  'name',
  'colour',
  'logo',
  'upi_collect',
  'optional_order_details',
] satisfies (keyof Static<typeof SettingsBody>)[];

const forOwners = {
  config: { dashboard: 'owner' },
  bodyLimit: limits.publicBodyBytesMax,
  schema: { hide: true },
} as const;

export function addSettings(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;
  const view = async (request: FastifyRequest) =>
    settingsView(await useCases.getSettings(getAccount(request).accountId), basePathOf(context));

  app.get('/settings', {
    config: { dashboard: 'viewer' },
    schema: { hide: true },
    handler: view,
  });

  app.patch<{ Body: Static<typeof SettingsBody> }>('/settings', {
    config: { dashboard: 'owner', isConfirmedByHandler: true },
    bodyLimit: settingsBodyBytesMax,
    schema: { hide: true, body: SettingsBody },
    handler: async (request) => {
      const { body } = request;
      const names = Object.keys(body);
      if (!names.every((name) => unconfirmedSettings.includes(name))) {
        useCases.requireConfirmation(getSignedIn(request));
      }
      const { accountId } = getAccount(request);
      await useCases.changeSettings(accountId, readSettings(body), getActor(request));
      return view(request);
    },
  });

  addSecrets(app, context);
}

function addSecrets(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Params: SecretParams }>('/settings/secrets/:name/show', {
    ...forOwners,
    handler: async (request) => {
      useCases.requireConfirmationAgain(getSignedIn(request));
      const { name } = request.params;
      const { accountId } = getAccount(request);
      return { name, secret: await useCases.showSecret(accountId, name, getActor(request)) };
    },
  });

  app.post<{ Params: SecretParams; Body: Static<typeof RotationBody> }>(
    '/settings/secrets/:name/rotate',
    {
      ...forOwners,
      schema: { hide: true, body: RotationBody },
      handler: async (request) => {
        const { name } = request.params;
        const { overlap_seconds: overlapSeconds, value } = request.body;
        const { accountId } = getAccount(request);
        const { secret, oldValidUntil } = await useCases.rotateSecret(
          accountId,
          name,
          overlapSeconds,
          getActor(request),
          value,
        );
        return { name, secret, old_valid_until: oldValidUntil.toISOString() };
      },
    },
  );
}
