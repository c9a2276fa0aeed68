/** What the filters of the account can be set to. Loaded once for each account. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, get } from './api.js';
import { session } from './session.js';

/**
 * @typedef {object} Choices
 * @property {{ name: string, display_name: string }[]} providers
 * @property {string[]} flags
 * @property {string[]} currencies Those of recent orders first.
 */

/** @type {Choices} */
const none = { providers: [], flags: [], currencies: [] };
const loaded = signal(/** @type {{ accountId?: string, choices: Choices }} */ ({ choices: none }));

/** Empty until they are loaded: a list does not wait for its filters. */
export function useChoices() {
  const accountId = session.value?.account?.account_id;
  useEffect(() => {
    if (accountId === undefined || loaded.value.accountId === accountId) return;
    get('/filters').then(
      (choices) => {
        loaded.value = { accountId, choices };
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
      },
    );
  }, [accountId]);
  return loaded.value.accountId === accountId ? loaded.value.choices : none;
}
