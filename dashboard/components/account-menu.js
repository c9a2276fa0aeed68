/** The account that is shown, the user's other accounts, their sessions, and the way out. */
import { html } from '../core/html.js';
import { hrefOf, navigate, place } from '../core/router.js';
import { session, signOut, switchAccount } from '../core/session.js';
import { say } from './toast.js';

export function AccountMenu() {
  const { user, account, accounts = [] } = session.value ?? {};
  // The key closes the menu when another page is opened.
  return html`<details class="account" key=${place.value.path}>
    <summary><span class="account-name">${account?.name ?? 'No account'}</span>
      <span class="quiet">${user?.email}</span></summary>
    <ul class="account-choices">
      ${accounts
        .filter(({ account_id }) => account_id !== account?.account_id)
        .map(
          ({ account_id, name }) => html`<li key=${account_id}>
            <button type="button" class="link" onClick=${() => change(account_id, name)}>Switch to ${name}</button>
          </li>`,
        )}
      <li><a href=${hrefOf('/account')}>Your account</a></li>
      <li><a href=${hrefOf('/sessions')}>Your sessions</a></li>
      <li><button type="button" class="link" onClick=${signOut}>Sign out</button></li>
    </ul>
  </details>`;
}

/**
 * @param {string} accountId
 * @param {string} name
 */
async function change(accountId, name) {
  await switchAccount(accountId);
  navigate('/');
  say(`This is ${name}.`);
}
