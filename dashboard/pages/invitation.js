/** A one-time link: a new user chooses a password or a passkey, a known one joins another account. */
import { useEffect, useState } from 'preact/hooks';
import { Field, Form } from '../components/form.js';
import { Failure, Skeleton } from '../components/states.js';
import { isSignedOut, post } from '../core/api.js';
import { html } from '../core/html.js';
import { hasPasskeys, register } from '../core/passkey.js';
import { navigate } from '../core/router.js';
import { begin, session } from '../core/session.js';
import { SignIn } from './sign-in.js';

const passwordCharsMin = 12;

/** @typedef {{ email: string, account_name: string | null, role: string | null, way: string }} Seen */

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
  const { seen, error } = state;
  if (error) return html`<main class="alone"><${Failure} error=${error} isPage /></main>`;
  if (!seen) return html`<main class="alone"><${Skeleton} /></main>`;
  if (seen.way === 'join' && (!session.value || isSignedOut.value)) return html`<${SignIn} />`;
  const accept = (/** @type {Promise<any>} */ answer) => answer.then(enter);
  return html`<main class="alone"><section class="card stack">
    <h1>${seen.account_name === null ? 'Choose how to sign in' : `Welcome to ${seen.account_name}`}</h1>
    <p>${seen.email}${seen.role !== null && `, ${seen.role}`}</p>
    ${
      seen.way === 'join'
        ? html`<${Form} action="Join" onSend=${() => accept(post(`${path}/join`))} />`
        : html`<${NewCredentials} email=${seen.email} path=${path} accept=${accept} />`
    }
  </section></main>`;
}

/** @param {{ email: string, path: string, accept: (answer: Promise<any>) => Promise<void> }} props */
function NewCredentials({ email, path, accept }) {
  const setPassword = (/** @type {FormData} */ fields) =>
    accept(post(`${path}/password`, { password: fields.get('password') }));
  const password = { required: true, minlength: passwordCharsMin, autocomplete: 'new-password' };
  return html`
    <${Form} action="Set the password" onSend=${setPassword}>
      <input type="hidden" name="username" autocomplete="username" value=${email} />
      <${Field} label="Password" name="password" type="password" input=${password}
        hint=${`At least ${passwordCharsMin} characters. A few random words are easy to remember.`} />
    </${Form}>
    ${hasPasskeys && html`<${Form} action="Use a passkey instead" onSend=${() => accept(register(`${path}/passkey`))} />`}`;
}

/** @param {import('../core/session.js').Session} begun */
function enter(begun) {
  begin(begun);
  // The link is used up: it must not stay in the history.
  navigate('/', { replace: true });
}
