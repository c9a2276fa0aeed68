/** The account that is shown, the user's other accounts, their sessions, and the way out. */
import { html } from '../core/html.js';
import { problemOf } from '../core/problem.js';
import { hrefOf, navigate } from '../core/router.js';
import { session, signOut, switchAccount } from '../core/session.js';
import { Menu } from './menu.js';
import { say } from './toast.js';

export function AccountMenu() {
  const { user, account, accounts = [] } = session.value ?? {};
  const summary = html`<span class="account-name">${account?.name ?? 'No account'}</span>
    <span class="quiet">${user?.email}</span>`;
  return html`<${Menu} kind="account" summary=${summary}>${(
    /** @type {() => void} */ close,
  ) => html`
    ${accounts
      .filter(({ account_id }) => account_id !== account?.account_id)
      .map(
        ({ account_id, name }) => html`<li key=${account_id}>
          <button type="button" class="link" onClick=${() => change(account_id, close)}>Switch to ${name}</button>
        </li>`,
      )}
    <li><a href=${hrefOf('/account')}>Your account</a></li>
    <li><a href=${hrefOf('/sessions')}>Your sessions</a></li>
    <li><button type="button" class="link" onClick=${() => signOut().catch(sayProblem)}>Sign out</button></li>`}
  </${Menu}>`;
}

/**
 * @param {string} accountId
 * @param {() => void} close
 */
async function change(accountId, close) {
  try {
    await switchAccount(accountId);
    close();
    navigate('/');
  } catch (error) {
    sayProblem(error);
  }
}

/** @param {unknown} error */
function sayProblem(error) {
  say(problemOf(error));
}
