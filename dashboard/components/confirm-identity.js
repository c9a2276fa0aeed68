/**
 * Asks for the password or a passkey again, before something that a stolen cookie must not do. Any page can use it:
 * `await withConfirmation(() => post('/…'))` asks if it has to, then makes the call.
 */
import { effect, signal } from '@preact/signals';
import { ApiError, isSignedOut, post } from '../core/api.js';
import { html } from '../core/html.js';
import { hasPasskeys, prove } from '../core/passkey.js';
import { begin, session } from '../core/session.js';
import { Dialog } from './dialog.js';
import { Field, Form } from './form.js';

/** The question that is shown, with its answer. */
const question = signal(/** @type {((isConfirmed: boolean) => void) | undefined} */ (undefined));

// When the session ends, an open question is withdrawn: the user has to sign in first.
effect(() => {
  if (isSignedOut.value) question.peek()?.(false);
});

/**
 * @template T
 * @param {() => Promise<T>} act
 * @param {{ again?: boolean }} [options] `again`: the sign-in does not count.
 * @returns {Promise<T>}
 */
export async function withConfirmation(act, { again = false } = {}) {
  // Known beforehand as a rule: a call that is refused is an error in the console of the browser.
  if (!isConfirmed(again)) {
    await ask();
    return act();
  }
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
    await ask();
    return act();
  }
}

/** @param {boolean} again */
function isConfirmed(again) {
  const { confirmed_until = '', confirmed_again = false } = session.value?.session ?? {};
  // A few seconds less, because the call takes time.
  return Date.parse(confirmed_until) - Date.now() > 5_000 && (confirmed_again || !again);
}

async function ask() {
  question.value?.(false);
  const { promise, resolve } = Promise.withResolvers();
  question.value = resolve;
  const isAnswered = await promise;
  if (question.value === resolve) question.value = undefined;
  if (isAnswered) return;
  throw new ApiError(0, 'NOT_CONFIRMED', 'Nothing was done, because you did not confirm.');
}

/** Stands once in the frame of the page. */
export function ConfirmIdentity() {
  const answer = question.value;
  if (!answer) return null;
  const { has_password = true, has_passkey = false } = session.value?.user ?? {};
  const confirmed = (/** @type {import('../core/session.js').Session} */ begun) => {
    begin(begun);
    answer(true);
  };
  const withPassword = async (/** @type {FormData} */ fields) =>
    confirmed(await post('/confirm', { password: fields.get('password') }));
  const password = { required: true, autocomplete: 'current-password', autofocus: true };
  return html`<${Dialog} title="Confirm that it is you" onClose=${() => answer(false)}>
    <p>${has_password ? 'Give your password' : 'Use your passkey'} again to go on.</p>
    ${
      has_password &&
      html`<${Form} action="Confirm" onSend=${withPassword} onCancel=${() => answer(false)}>
        <input type="hidden" name="username" autocomplete="username" value=${session.value?.user.email} />
        <${Field} label="Password" name="password" type="password" input=${password} />
      </${Form}>`
    }
    ${
      has_passkey &&
      hasPasskeys &&
      html`<${Form} action="Use a passkey" onSend=${async () => confirmed(await prove('/confirm/passkey'))}
        onCancel=${has_password ? undefined : () => answer(false)} />`
    }
  </${Dialog}>`;
}
