/**
 * A one-time link: a new user chooses a password or a passkey, a known one joins another account. Only the invited person
 * knows which of them they are: the service does not tell whoever has the link.
 */
import { useEffect, useState } from 'preact/hooks';
import { Form } from '../components/form.js';
import { NewPassword } from '../components/new-password.js';
import { PasskeyButton } from '../components/passkey-button.js';
import { Failure, Skeleton } from '../components/states.js';
import { isSignedOut, post } from '../core/api.js';
import { html } from '../core/html.js';
import { register } from '../core/passkey.js';
import { navigate } from '../core/router.js';
import { begin, session, signOut } from '../core/session.js';
import { SignIn } from './sign-in.js';

/** @typedef {{ email: string, account_name: string | null, role: string | null }} Seen */

/** @param {{ token: string }} props */
export function Invitation({ token }) {
  const path = `/invitation/${token}`;
  const [state, setState] = useState(
    /** @type {{ seen?: Seen, error?: import('../core/api.js').ApiError }} */ ({}),
  );
  useEffect(() => {
    document.title = 'Invitation · Payments';
    post(path).then(
      (seen) => setState({ seen }),
      (error) => setState({ error }),
    );
  }, [path]);
  const [isUser, setUser] = useState(false);
  const { seen, error } = state;
  if (error) return html`<main class="alone"><${Failure} error=${error} isPage /></main>`;
  if (!seen) return html`<main class="alone"><${Skeleton} /></main>`;
  const isSignedIn = Boolean(session.value) && !isSignedOut.value;
  if (isUser && !isSignedIn) {
    return html`<${SignIn} email=${seen.email}>
      <p>Sign in as <strong>${seen.email}</strong> to join <strong>${seen.account_name}</strong>.</p>
      <p><button type="button" class="link" onClick=${() => setUser(false)}>I am new here</button></p>
    </${SignIn}>`;
  }
  const mayJoin = seen.account_name !== null;
  const accept = (/** @type {Promise<any>} */ answer) => answer.then(enter);
  return html`<main class="alone"><section class="card stack">
    <h1>${mayJoin ? `Welcome to ${seen.account_name}` : 'Choose how to sign in'}</h1>
    <${Who} seen=${seen} />
    ${
      mayJoin && isSignedIn
        ? html`<${Join} email=${seen.email} onJoin=${() => accept(post(`${path}/join`))} />`
        : html`<${NewCredentials} email=${seen.email} path=${path} accept=${accept} />`
    }
    ${
      mayJoin &&
      !isSignedIn &&
      html`<p>Do you sign in here already, for another account? <button type="button" class="link" onClick=${() => setUser(true)}>Sign in to join</button></p>`
    }
  </section></main>`;
}

/** @param {{ seen: Seen }} props */
function Who({ seen: { email, account_name, role } }) {
  return account_name === null
    ? html`<p>For <strong>${email}</strong>.</p>`
    : html`<p><strong>${email}</strong> joins the account <strong>${account_name}</strong> as ${role}.</p>`;
}

/**
 * Only the invited user can join, and somebody else may be signed in.
 * @param {{ email: string, onJoin: () => Promise<void> }} props
 */
function Join({ email, onJoin }) {
  const present = session.value?.user.email ?? '';
  if (present.toLowerCase() === email.toLowerCase()) {
    return html`<${Form} action="Join" onSend=${onJoin} />`;
  }
  return html`<p>You are signed in as <strong>${present}</strong>. Sign out first.</p>
    <${Form} action="Sign out" onSend=${signOut} />`;
}

/** @param {{ email: string, path: string, accept: (answer: Promise<any>) => Promise<void> }} props */
function NewCredentials({ email, path, accept }) {
  const setPassword = (/** @type {FormData} */ fields) =>
    accept(post(`${path}/password`, { password: fields.get('password') }));
  return html`
    <${Form} action="Set the password" onSend=${setPassword}>
      <${NewPassword} label="Password" email=${email} hint="A few random words are easy to remember." />
    </${Form}>
    <${PasskeyButton} label="Use a passkey" onUse=${() => accept(register(`${path}/passkey`))} />`;
}

/** @param {import('../core/session.js').Session} begun */
function enter(begun) {
  begin(begun);
  // The link is used up: it must not stay in the history.
  navigate('/', { replace: true });
}
