/** How the user signs in: their password and their passkeys. */
import { useState } from 'preact/hooks';
import { withConfirmation } from '../components/confirm-identity.js';
import { Dialog } from '../components/dialog.js';
import { Form } from '../components/form.js';
import { NewPassword } from '../components/new-password.js';
import { PasskeyButton } from '../components/passkey-button.js';
import { Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { call, post } from '../core/api.js';
import { counted, time } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { register } from '../core/passkey.js';
import { loadSession, session } from '../core/session.js';

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
    const others = ended === 0 ? '' : ` ${counted(ended, 'other session')} ended.`;
    await done(`Password changed.${others}`);
  };
  return html`<section class="card stack" aria-labelledby="password">
    <h2 id="password">Password</h2>
    ${!hasPassword && html`<p class="quiet">You have no password. You sign in with a passkey.</p>`}
    <${Form} key=${turn} action=${hasPassword ? 'Change password' : 'Set password'} onSend=${change}>
      <${NewPassword} label="New password" email=${session.value?.user.email} hint="Your other sessions end." />
    </${Form}>
  </section>`;
}

/** @param {{ credentials: Credentials, done: (text: string) => Promise<void> }} props */
function Passkeys({ credentials: { has_password, passkeys }, done }) {
  const [removed, setRemoved] = useState(/** @type {Passkey | undefined} */ (undefined));
  const add = async () => {
    await withConfirmation(() => register('/credentials/passkey'), { again: true });
    await done('Passkey added.');
  };
  const remove = async () => {
    await withConfirmation(() => call('DELETE', `/credentials/passkeys/${removed?.passkey_id}`), {
      again: true,
    });
    setRemoved(undefined);
    await done('Passkey removed.');
  };
  const mayRemove = has_password || passkeys.length > 1;
  const button = (/** @type {Passkey} */ passkey) =>
    html`<button type="button" class="small" aria-describedby=${nameIdOf(passkey)} onClick=${() => setRemoved(passkey)}>Remove</button>`;
  return html`<section class="card stack" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p class="quiet">You have no passkeys. A passkey signs you in with your fingerprint, face or PIN.</p>`
        : html`<${Table} caption="Passkeys" rows=${passkeys} keyOf=${(/** @type {Passkey} */ one) => one.passkey_id}
            columns=${[
              {
                label: 'Passkey',
                cell: (/** @type {Passkey} */ one) =>
                  html`<span id=${nameIdOf(one)}>${placeOf(one)}<span class="unseen">, added ${time(one.created_at)}</span></span>`,
              },
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
    ${!mayRemove && passkeys.length > 0 && html`<p class="hint">This is your only way to sign in, so it cannot be removed.</p>`}
    <${PasskeyButton} label="Add a passkey" onUse=${add} />
    ${
      removed &&
      html`<${Dialog} title="Remove this passkey?" onClose=${() => setRemoved(undefined)}>
        <p>${placeOf(removed)}, added <${Time} at=${removed.created_at} />.</p>
        <p>You can no longer sign in with it. It may stay on the device until you delete it there.</p>
        <${Form} action="Remove" isDangerous onSend=${remove} onCancel=${() => setRemoved(undefined)} />
      </${Dialog}>`
    }
  </section>`;
}

/** @param {Passkey} passkey */
function nameIdOf({ passkey_id }) {
  return `passkey-${passkey_id}`;
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
