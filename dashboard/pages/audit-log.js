/** Who did what to which object, when and from where. */
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { useResultCount } from '../core/announce.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { place } from '../core/router.js';

/**
 * @typedef {object} Entry
 * @property {string} audit_id
 * @property {string} at
 * @property {string} actor
 * @property {string | null} address
 * @property {string} action
 * @property {string | null} object
 * @property {string | null} note
 * @property {Record<string, unknown> | null} details
 */

export function Page() {
  const after = place.value.query.get('after');
  const live = useLive(`/audit${after === null ? '' : `?after=${encodeURIComponent(after)}`}`);
  useResultCount(live, ({ entries }) => entries, 'entry', 'entries');
  return html`<h1>Audit log</h1>
    <${Loaded} live=${live}>${(/** @type {{ entries: Entry[], next: string | null }} */ data) =>
      data.entries.length === 0
        ? html`<${Empty} title="Nothing has been done yet" />`
        : html`<${Table} caption="What was done, newest first" rows=${data.entries} columns=${columns}
              keyOf=${(/** @type {Entry} */ entry) => entry.audit_id} />
            <${Pager} next=${data.next} label="the audit log" />`}
    </${Loaded}>`;
}

const columns = [
  { label: 'When', cell: (/** @type {Entry} */ entry) => html`<${Time} at=${entry.at} />` },
  { label: 'Who', cell: (/** @type {Entry} */ entry) => entry.actor },
  { label: 'From', cell: (/** @type {Entry} */ entry) => entry.address ?? '–' },
  { label: 'What', cell: (/** @type {Entry} */ entry) => entry.action },
  {
    label: 'Object',
    cell: (/** @type {Entry} */ entry) => html`<code>${entry.object ?? '–'}</code>`,
  },
  { label: 'Note', cell: noteOf },
];

/** @param {Entry} entry */
function noteOf({ note, details }) {
  const changed = Object.entries(details ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [...(note === null ? [] : [note]), ...changed].join(', ');
}
