/** The keys of the account. Owners see a secret for 30 seconds, and rotate it. */
import { useId, useState } from 'preact/hooks';
import { withConfirmation } from '../components/confirm-identity.js';
import { Dialog } from '../components/dialog.js';
import { Facts } from '../components/facts.js';
import { Field, Form, Select } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { Table } from '../components/table.js';
import { Copyable, Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { ApiError, post } from '../core/api.js';
import { time } from '../core/format.js';
import { html } from '../core/html.js';
import { mayChange } from './settings-form.js';

/** @typedef {import('./settings.js').Settings['secrets'][number]} SecretTimes */
/** @typedef {{ name: string, secret: string, old_valid_until?: string }} Secret */

/** @type {readonly (readonly [seconds: string, text: string])[]} */
const overlaps = [
  ['0', 'No, it ends now'],
  ['3600', 'For 1 hour'],
  ['86400', 'For 1 day'],
  ['604800', 'For 7 days'],
  ['1296000', 'For 15 days'],
];

/** @param {import('./settings.js').SectionProps} props */
export function Keys({ settings, reload }) {
  const [secret, setSecret] = useState(/** @type {Secret | undefined} */ (undefined));
  const [rotating, setRotating] = useState(/** @type {string | undefined} */ (undefined));
  const show = async (/** @type {string} */ name) => {
    try {
      const path = `/settings/secrets/${name}/show`;
      setSecret(await withConfirmation(() => post(path), { again: true }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      say(error.message);
    }
  };
  const rotated = (/** @type {Secret} */ answer) => {
    setRotating(undefined);
    setSecret(answer);
    reload();
  };
  const titleOf = (/** @type {string} */ wanted) =>
    settings.secrets.find(({ name }) => name === wanted)?.title ?? wanted;
  return html`<${Facts} facts=${[
    ['Merchant ID', html`<${Copyable} text=${settings.account_id} label="merchant ID" />`],
    ['Access key', html`<${Copyable} text=${settings.access_key} label="access key" />`],
  ]} />
    <${Secrets} secrets=${settings.secrets} show=${show} rotate=${setRotating} />
    ${rotating && html`<${Rotate} name=${rotating} title=${titleOf(rotating)} close=${() => setRotating(undefined)} done=${rotated} />`}
    ${
      secret &&
      html`<${SecretDialog} title=${titleOf(secret.name)} secret=${secret.secret} onEnd=${() => setSecret(undefined)}>
        ${secret.old_valid_until && html`<p>${endOf(secret.old_valid_until)}</p>`}
      </${SecretDialog}>`
    }`;
}

/** @param {{ secrets: SecretTimes[], show: (name: string) => void, rotate: (name: string) => void }} props */
function Secrets({ secrets, show, rotate }) {
  const id = useId();
  const actions = (/** @type {SecretTimes} */ { name }) => html`<span class="buttons">
    <button type="button" class="small" aria-describedby=${`${id}-${name}`} onClick=${() => show(name)}>Show secret</button>
    <button type="button" class="small" aria-describedby=${`${id}-${name}`} onClick=${() => rotate(name)}>Rotate</button>
  </span>`;
  return html`<${Table} caption="Secrets" rows=${secrets} keyOf=${(/** @type {SecretTimes} */ one) => one.name}
    columns=${[
      {
        label: 'Secret',
        cell: (/** @type {SecretTimes} */ one) =>
          html`<span id=${`${id}-${one.name}`}>${one.title}</span>`,
      },
      {
        label: 'Created',
        cell: (/** @type {SecretTimes} */ one) => html`<${Time} at=${one.created_at} />`,
      },
      ...(secrets.some(({ former }) => former.length > 0)
        ? [{ label: 'Previous secret valid until', cell: formerOf }]
        : []),
      ...(mayChange() ? [{ label: 'Actions', cell: actions }] : []),
    ]} />`;
}

/** @param {SecretTimes} secret */
function formerOf({ former }) {
  if (former.length === 0) return null;
  return former.map((one) => html`<p key=${one.valid_until}><${Time} at=${one.valid_until} /></p>`);
}

/** @param {{ name: string, title: string, close: () => void, done: (answer: Secret) => void }} props */
function Rotate({ name, title, close, done }) {
  const isOwn = name === 'access-secret';
  const send = async (/** @type {FormData} */ fields) => {
    const value = String(fields.get('value') ?? '').trim();
    const body = {
      overlap_seconds: Number(fields.get('overlap')),
      ...(value !== '' && { value }),
    };
    done(await withConfirmation(() => post(`/settings/secrets/${name}/rotate`, body)));
  };
  return html`<${Dialog} title=${`Rotate: ${title}`} onClose=${close}>
    <p>${isOwn ? 'A new secret is generated for your server.' : 'The new secret must be entered at the provider.'}</p>
    <${Form} action="Rotate" onSend=${send} onCancel=${close}>
      <${Select} label="Keep the previous secret valid" name="overlap" options=${overlaps} value="86400" />
      ${
        !isOwn &&
        html`<${Field} label="Secret from the provider" name="value" input=${{ autocomplete: 'off', spellcheck: false }}
          hint="Only if the provider generates it. Otherwise leave it empty." />`
      }
    </${Form}>
  </${Dialog}>`;
}

/** @param {string} until */
function endOf(until) {
  return Date.parse(until) <= Date.now()
    ? 'The previous secret is no longer valid.'
    : `The previous secret is valid until ${time(until)}.`;
}
