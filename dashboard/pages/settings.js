/** The settings of the account. Everybody sees them; owners change them and see the secrets. */
import { withConfirmation } from '../components/confirm-identity.js';
import { Loaded } from '../components/states.js';
import { call } from '../core/api.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { session } from '../core/session.js';
import { Branding } from './settings-branding.js';
import { Currencies } from './settings-currencies.js';
import { mayChange, SettingsForm } from './settings-form.js';
import { Keys } from './settings-keys.js';
import { Providers } from './settings-providers.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/settings.ts').settingsView>} Settings */
/** @typedef {{ settings: Settings, save: (changes: object) => Promise<void>, reload: () => void }} SectionProps */

/** @type {readonly [id: string, title: string, Section: (props: SectionProps) => any][]} */
const sections = [
  ['keys', 'Keys', Keys],
  ['providers', 'Providers', Providers],
  ['payment-modes', 'Payment modes', PaymentModes],
  ['currencies', 'Currencies', Currencies],
  ['branding', 'Checkout branding', Branding],
  ['origins', 'Callback origins', Origins],
  ['orders', 'Orders and API', Orders],
];

/** All others need a confirmation. */
const unconfirmed = ['name', 'colour', 'logo', 'upi_collect', 'optional_order_details'];

export function Page() {
  const live = useLive('/settings');
  const save = async (/** @type {object} */ changes) => {
    const send = () => call('PATCH', '/settings', changes);
    const isFree = Object.keys(changes).every((name) => unconfirmed.includes(name));
    await (isFree ? send() : withConfirmation(send));
    live.reload();
  };
  return html`<h1>Settings</h1>
    <${Loaded} live=${live}>${(/** @type {Settings} */ settings) => html`
      <div class="settings">
        <nav class="subnav" aria-label="Parts of the settings"><ul>
          ${sections.map(([id, title]) => html`<li key=${id}><a href=${`#${id}`}>${title}</a></li>`)}
        </ul></nav>
        <div class="stack">
          ${!mayChange() && html`<p class="quiet">${whyFixed()}</p>`}
          ${sections.map(
            ([
              id,
              title,
              Section,
            ]) => html`<section key=${id} id=${id} class="card stack" aria-labelledby=${`${id}-title`} tabindex="-1">
              <h2 id=${`${id}-title`}>${title}</h2>
              <${Section} settings=${settings} save=${save} reload=${live.reload} />
            </section>`,
          )}
        </div>
      </div>`}
    </${Loaded}>`;
}

function whyFixed() {
  return session.value?.account?.suspended
    ? 'Nothing can be changed while the account is suspended.'
    : 'Only owners of the account can change these settings.';
}

/** @param {SectionProps} props */
function PaymentModes({ settings, save }) {
  const providers = settings.providers.map(
    ({ name, title }) => /** @type {const} */ ([name, title]),
  );
  const modes = settings.payment_modes.map(({ mode, title, provider }) => ({
    name: mode,
    label: title,
    value: provider,
    kind: /** @type {const} */ ('choice'),
    options: [/** @type {const} */ (['', 'Not offered']), ...providers],
  }));
  return html`<p class="hint">Which provider processes each payment mode. A mode is offered once its provider has API keys.</p>
    <${SettingsForm} label="Payment modes" settings=${modes} save=${(/** @type {object} */ changes) => save({ payment_modes: changes })} />`;
}

/** @param {SectionProps} props */
function Origins({ settings, save }) {
  return html`<${SettingsForm} label="Callback origins" save=${save} settings=${[
    {
      name: 'callback_origins',
      label: 'Callback origins',
      kind: 'lines',
      value: settings.callback_origins,
      called: ['callback origin', 'callback origins'],
      hint: 'Sites that a browser may set as the callback of an order. One per line, such as https://shop.example. If there are none, a browser may set a callback only for orders without one. Your server may set any.',
    },
    {
      name: 'frame_origins',
      label: 'Frame origins',
      kind: 'lines',
      value: settings.frame_origins,
      called: ['frame origin', 'frame origins'],
      hint: 'Sites that may embed the checkout page in a frame. One per line. If there are none, no site may.',
    },
  ]} />`;
}

/** @param {SectionProps} props */
function Orders({ settings, save }) {
  const limit = settings.requests_per_second;
  return html`<${SettingsForm} label="Orders and API" save=${save} settings=${[
    {
      name: 'optional_order_details',
      kind: 'switch',
      value: settings.optional_order_details,
      label: 'Orders may omit consumer, address and items',
    },
    {
      name: 'encrypted_payloads',
      kind: 'switch',
      value: settings.encrypted_payloads,
      label: 'Accept encrypted requests and encrypt their replies',
    },
    {
      name: 'signature_version',
      label: 'Transaction signature',
      kind: 'choice',
      value: settings.signature_version,
      options: [
        ['v3', 'Version 3'],
        ['v2', 'Version 2'],
      ],
    },
    {
      name: 'capture_mode',
      label: 'Capture',
      kind: 'choice',
      value: settings.capture_mode,
      options: [
        ['automatic', 'At once'],
        ['manual', 'By the shop'],
      ],
      hint: 'Applies to payments that are started from now on. By the shop: an amount is reserved for some days, and the shop charges it with Capture.',
    },
    {
      name: 'late_payments',
      label: 'Late payments',
      kind: 'choice',
      value: settings.late_payments,
      options: [
        ['keep', 'Complete the order'],
        ['refund', 'Refund at once'],
      ],
      hint: 'What becomes of a payment that succeeds after its order lapsed or was cancelled.',
    },
  ]} />
  <p class="hint">${limit === null ? 'API calls are not rate limited.' : `Rate limit: ${limit} API calls per second. The operator of the service can change it.`}</p>`;
}
