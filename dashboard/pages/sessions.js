/** Where the user is signed in, and the way to end it. */
import { Action } from '../components/action.js';
import { Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { call } from '../core/api.js';
import { counted } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/session.ts').listedSessionView>} Listed */

export function Page() {
  const live = useLive('/sessions');
  const end = async (/** @type {Listed} */ { session_id }) => {
    await call('DELETE', `/sessions/${session_id}`);
    say('Session ended.');
    live.reload();
  };
  const endOthers = async () => {
    const { ended } = await call('DELETE', '/sessions');
    say(`${counted(ended, 'other session')} ended.`);
    live.reload();
  };
  return html`<h1>Your sessions</h1>
    <${Loaded} live=${live}>${(/** @type {{ sessions: Listed[] }} */ { sessions }) => html`
      <${Table} caption="Your sessions" rows=${sessions} keyOf=${(/** @type {Listed} */ one) => one.session_id}
        columns=${[
          { label: 'Browser', cell: browserOf },
          { label: 'Address', cell: (/** @type {Listed} */ one) => one.address },
          {
            label: 'Signed in',
            cell: (/** @type {Listed} */ one) => html`<${Time} at=${one.created_at} />`,
          },
          {
            label: 'Last seen',
            cell: (/** @type {Listed} */ one) => html`<${Time} at=${one.last_seen_at} relative />`,
          },
          {
            label: 'Actions',
            cell: (/** @type {Listed} */ one) =>
              one.current
                ? 'This session'
                : html`<${Action} label="End session" about=${`${browserOf(one)}, ${one.address}`} onAct=${() => end(one)} />`,
          },
        ]} />
      ${sessions.length > 1 && html`<div><${Action} kind="" label="End all other sessions" onAct=${endOthers} /></div>`}`}
    </${Loaded}>`;
}

/**
 * Names of browsers and systems that the User-Agent header writes otherwise.
 * @type {Record<string, string>}
 */
const names = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };

/** @param {Listed} session */
function browserOf({ user_agent }) {
  const [, name] = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(user_agent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|Linux)/.exec(user_agent) ?? [];
  return [names[name ?? ''] ?? name ?? 'Unknown browser', names[system ?? ''] ?? system]
    .filter((part) => part !== undefined)
    .join(', ');
}
