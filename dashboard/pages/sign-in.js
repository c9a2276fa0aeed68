/** Signing in, with a password or a passkey. After a session has ended the address stays, so the same page opens again. */
import { useEffect } from 'preact/hooks';
import { Field, Form } from '../components/form.js';
import { post } from '../core/api.js';
import { html } from '../core/html.js';
import { hasPasskeys, prove } from '../core/passkey.js';
import { begin } from '../core/session.js';

/** @param {{ isAgain?: boolean }} props */
export function SignIn({ isAgain = false }) {
  useEffect(() => {
    document.title = 'Sign in · Payments';
  }, []);
  const withPassword = async (/** @type {FormData} */ fields) =>
    begin(await post('/sign-in', Object.fromEntries(fields)));
  return html`<main class="alone">
    <section class="card stack">
      <h1>Sign in</h1>
      ${isAgain && html`<p role="status">Your session has ended. Sign in again to go on where you were.</p>`}
      <${Form} action="Sign in" onSend=${withPassword}>
        <${Field} label="Email" name="email" type="email" input=${{ required: true, autocomplete: 'username', autofocus: true }} />
        <${Field} label="Password" name="password" type="password" input=${{ required: true, autocomplete: 'current-password' }} />
      </${Form}>
      ${
        hasPasskeys &&
        html`<${Form} action="Sign in with a passkey" onSend=${async () => begin(await prove('/sign-in/passkey'))} />`
      }
    </section>
  </main>`;
}
