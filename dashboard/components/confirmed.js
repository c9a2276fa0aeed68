/** Asks for the password or a passkey again before what it wraps, unless that was a moment ago. Contract 13.2. */
import { useState } from 'preact/hooks';
import { ApiError, post } from '../core/api.js';
import { html } from '../core/html.js';
import { hasPasskeys, prove } from '../core/passkey.js';
import { begin, session } from '../core/session.js';
import { Field, Form } from './form.js';

/** What follows takes a moment too. */
const spareMs = 60_000;

/**
 * The function that the children get makes a call, and asks once more if the service wants a newer proof.
 * @param {{ onCancel: () => void, children: (guard: (made: Promise<any>) => Promise<any>) => any }} props
 */
export function Confirmed({ onCancel, children }) {
  const { user, session: own } = session.value ?? {};
  const [isAsked, setAsked] = useState(
    () => Date.parse(own?.confirmed_until ?? '') < Date.now() + spareMs,
  );
  const guard = async (/** @type {Promise<any>} */ made) => {
    try {
      return await made;
    } catch (error) {
      // The clock of this computer may be behind.
      if (error instanceof ApiError && error.code === 'PERMISSION_DENIED') setAsked(true);
      throw error;
    }
  };
  if (!isAsked) return children(guard);
  const confirm = async (/** @type {Promise<any>} */ proved) => {
    begin(await proved);
    setAsked(false);
  };
  return html`<p>This shows a secret, so please confirm that it is you.</p>
    ${
      user?.has_password &&
      html`<${Form} action="Confirm" onCancel=${onCancel}
        onSend=${(/** @type {FormData} */ fields) => confirm(post('/confirm', Object.fromEntries(fields)))}>
        <${Field} label="Password" name="password" type="password"
          input=${{ required: true, autocomplete: 'current-password' }} />
      </${Form}>`
    }
    ${
      user?.has_passkey &&
      hasPasskeys &&
      html`<${Form} action="Use a passkey" onCancel=${user.has_password ? undefined : onCancel}
        onSend=${() => confirm(prove('/confirm/passkey'))} />`
    }`;
}
