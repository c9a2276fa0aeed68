/**
 * Signing in, with a password or a passkey. When a session ends, the page stays as it is behind the question, with
 * everything that was typed into it.
 */
import { useEffect } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { Field, Form } from '../components/form.js';
import { PasskeyButton } from '../components/passkey-button.js';
import { setTitle } from '../core/announce.js';
import { post } from '../core/api.js';
import { html } from '../core/html.js';
import { prove } from '../core/passkey.js';
import { enter, session } from '../core/session.js';

/** @param {{ email?: string, children?: import('../core/html.js').Children }} props */
export function SignIn({ email, children }) {
  useEffect(() => setTitle('Sign in'), []);
  return html`<main class="alone">
    <section class="card stack"><h1>Sign in</h1>${children}<${Ways} email=${email} /></section>
  </main>`;
}

export function SignInAgain() {
  return html`<${Dialog} title="Sign in">
    <p role="status">Your session has ended. Sign in again to continue where you were.</p>
    <${Ways} email=${session.value?.user.email} />
  </${Dialog}>`;
}

/** @param {{ email?: string }} props Of the user who is expected. */
function Ways({ email }) {
  const withPassword = async (/** @type {FormData} */ fields) =>
    enter(await post('/sign-in', Object.fromEntries(fields)));
  const isKnown = email !== undefined;
  const emailInput = { autocomplete: 'username', autofocus: !isKnown, defaultValue: email };
  const passwordInput = { autocomplete: 'current-password', autofocus: isKnown };
  return html`<${Form} action="Sign in" onSend=${withPassword}>
      <${Field} label="Email" name="email" type="email" input=${{ required: true, ...emailInput }} />
      <${Field} label="Password" name="password" type="password" input=${{ required: true, ...passwordInput }} />
    </${Form}>
    <${PasskeyButton} label="Use a passkey" onUse=${async () => enter(await prove('/sign-in/passkey'))} />`;
}
