/** Signing in, with a password or a passkey. After a session has ended the address stays, so the same page opens again. */
import { useEffect } from 'preact/hooks';
import { Field, Form } from '../components/form.js';
import { PasskeyButton } from '../components/passkey-button.js';
import { post } from '../core/api.js';
import { html } from '../core/html.js';
import { prove } from '../core/passkey.js';
import { begin } from '../core/session.js';

/** @param {{ isAgain?: boolean, email?: string, children?: import('../core/html.js').Children }} props */
export function SignIn({ isAgain = false, email, children }) {
  useEffect(() => {
    document.title = 'Sign in · Payments';
  }, []);
  const withPassword = async (/** @type {FormData} */ fields) =>
    begin(await post('/sign-in', Object.fromEntries(fields)));
  return html`<main class="alone">
    <section class="card stack">
      <h1>Sign in</h1>
      ${isAgain && html`<p role="status">Your session has ended. Sign in again to continue where you were.</p>`}
      ${children}
      <${Form} action="Sign in" onSend=${withPassword}>
        <${Field} label="Email" name="email" type="email" input=${{ required: true, autocomplete: 'username', autofocus: true, defaultValue: email ?? '' }} />
        <${Field} label="Password" name="password" type="password" input=${{ required: true, autocomplete: 'current-password' }} />
      </${Form}>
      <${PasskeyButton} label="Use a passkey" onUse=${async () => begin(await prove('/sign-in/passkey'))} />
    </section>
  </main>`;
}
