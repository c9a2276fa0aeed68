/** Who did what to which object, when and from where. */
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { useResultCount } from '../core/announce.js';
import { sentence, time } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { withCursor } from '../core/router.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/team.ts').auditView>} Entry */

export function Page() {
  const live = useLive(withCursor('/audit'));
  useResultCount(live, ({ entries }) => entries, 'entry', 'entries');
  return html`<h1>Audit log</h1>
    <${Loaded} live=${live}>${(/** @type {{ entries: Entry[], next: string | null }} */ data) =>
      data.entries.length === 0
        ? html`<${Empty} title="Nothing has been done yet" />`
        : html`<div class="audit"><${Table} caption="What was done, newest first" rows=${data.entries} columns=${columns}
              keyOf=${(/** @type {Entry} */ entry) => entry.audit_id} /></div>
            <${Pager} next=${data.next} label="the audit log" />`}
    </${Loaded}>`;
}

const columns = [
  { label: 'When', cell: (/** @type {Entry} */ entry) => html`<${Time} at=${entry.at} />` },
  {
    label: 'Who',
    cell: (/** @type {Entry} */ { actor, address }) =>
      html`<div>${actor}${address !== null && html`<p class="quiet">from ${address}</p>`}</div>`,
  },
  { label: 'Action', cell: (/** @type {Entry} */ entry) => entry.action },
  { label: 'Object', cell: objectOf },
];

/** @param {Entry} entry */
function objectOf({ object, note, details }) {
  const named = Object.entries(details ?? {}).map(
    ([name, value]) => html`<span key=${name}>${sentence(name)}: ${textOf(value)}</span>`,
  );
  return html`<div>
    ${object !== null && html`<code>${object}</code>`}
    ${note !== null && html`<p>${note}</p>`}
    ${named.length > 0 && html`<p class="quiet pairs">${named}</p>`}</div>`;
}

/** @param {unknown} value */
function textOf(value) {
  if (Array.isArray(value)) return value.join(', ');
  const text = String(value);
  return /^\d{4}-\d\d-\d\dT/.test(text) ? time(text) : text;
}
