/** How the user signs in: their password and their passkeys. */
import { useState } from 'preact/hooks';
import { withConfirmation } from '../components/confirm-identity.js';
import { Dialog } from '../components/dialog.js';
import { Field, Form } from '../components/form.js';
import { Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { call, post } from '../core/api.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { hasPasskeys, register } from '../core/passkey.js';
import { loadSession, session } from '../core/session.js';

const passwordCharsMin = 12;

/** @typedef {{ passkey_id: string, transports: string[], created_at: string, last_used_at: string | null }} Passkey */
/** @typedef {{ has_password: boolean, passkeys: Passkey[] }} Credentials */

export function Page() {
  const live = useLive('/credentials');
  const done = async (/** @type {string} */ text) => {
    say(text);
    live.reload();
    // Whether there is a password and a passkey decides what the next confirmation asks for.
    await loadSession();
  };
  return html`<h1>Your account</h1>
    <p class="quiet">${session.value?.user.email}</p>
    <${Loaded} live=${live}>${(
      /** @type {Credentials} */ credentials,
    ) => html`<div class="credentials">
      <${Password} hasPassword=${credentials.has_password} done=${done} />
      <${Passkeys} credentials=${credentials} done=${done} />
    </div>`}</${Loaded}>`;
}

/** @param {{ hasPassword: boolean, done: (text: string) => Promise<void> }} props */
function Password({ hasPassword, done }) {
  // A new key empties the field.
  const [turn, setTurn] = useState(0);
  const change = async (/** @type {FormData} */ fields) => {
    const body = { password: fields.get('password') };
    const { ended_sessions: ended } = await withConfirmation(
      () => post('/credentials/password', body),
      { again: true },
    );
    setTurn(turn + 1);
    const others = ended === 1 ? '1 other session has' : `${ended} other sessions have`;
    await done(
      ended === 0 ? 'The password is changed.' : `The password is changed. ${others} ended.`,
    );
  };
  const password = { required: true, minlength: passwordCharsMin, autocomplete: 'new-password' };
  return html`<section class="card stack" aria-labelledby="password">
    <h2 id="password">Password</h2>
    ${!hasPassword && html`<p class="quiet">You have none, and sign in with a passkey.</p>`}
    <${Form} key=${turn} action=${hasPassword ? 'Change the password' : 'Set a password'} onSend=${change}>
      <input type="hidden" name="username" autocomplete="username" value=${session.value?.user.email} />
      <${Field} label="New password" name="password" type="password" input=${password}
        hint=${`At least ${passwordCharsMin} characters. Your other sessions end.`} />
    </${Form}>
  </section>`;
}

/** @param {{ credentials: Credentials, done: (text: string) => Promise<void> }} props */
function Passkeys({ credentials: { has_password, passkeys }, done }) {
  const [removed, setRemoved] = useState(/** @type {Passkey | undefined} */ (undefined));
  const add = async () => {
    await withConfirmation(() => register('/credentials/passkey'), { again: true });
    await done('The passkey is added.');
  };
  const remove = async () => {
    await withConfirmation(() => call('DELETE', `/credentials/passkeys/${removed?.passkey_id}`), {
      again: true,
    });
    setRemoved(undefined);
    await done('The passkey is removed.');
  };
  const mayRemove = has_password || passkeys.length > 1;
  const button = (/** @type {Passkey} */ passkey) =>
    html`<button type="button" class="small" onClick=${() => setRemoved(passkey)}>Remove</button>`;
  return html`<section class="card stack" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p class="quiet">You have none. A passkey signs you in with your fingerprint, face or PIN.</p>`
        : html`<${Table} caption="Passkeys" rows=${passkeys} keyOf=${(/** @type {Passkey} */ one) => one.passkey_id}
            columns=${[
              { label: 'Passkey', cell: (/** @type {Passkey} */ one) => placeOf(one) },
              {
                label: 'Added',
                cell: (/** @type {Passkey} */ one) => html`<${Time} at=${one.created_at} />`,
              },
              {
                label: 'Last used',
                cell: (/** @type {Passkey} */ one) =>
                  one.last_used_at === null
                    ? 'Never'
                    : html`<${Time} at=${one.last_used_at} relative />`,
              },
              ...(mayRemove ? [{ label: 'Actions', cell: button }] : []),
            ]} />`
    }
    ${!mayRemove && passkeys.length > 0 && html`<p class="hint">It is your only way to sign in, so it cannot be removed.</p>`}
    ${hasPasskeys && html`<${Form} action="Add a passkey" onSend=${add} />`}
    ${
      removed &&
      html`<${Dialog} title="Remove this passkey?" onClose=${() => setRemoved(undefined)}>
        <p>You can no longer sign in with it. On the device it may stay until you delete it there.</p>
        <${Form} action="Remove" isDangerous onSend=${remove} onCancel=${() => setRemoved(undefined)} />
      </${Dialog}>`
    }
  </section>`;
}

/**
 * The browser does not tell the name of a device, only how it is reached.
 * @param {Passkey} passkey
 */
function placeOf({ transports }) {
  if (transports.includes('internal')) return 'On a device or in a password manager';
  if (transports.includes('hybrid')) return 'On a phone';
  return transports.includes('usb') || transports.includes('nfc') ? 'Security key' : 'Passkey';
}
