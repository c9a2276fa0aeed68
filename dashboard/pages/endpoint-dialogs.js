/** The questions about endpoints: adding, changing, rotating the secret, deleting, and what a test brought. */
import { useState } from 'preact/hooks';
import { withConfirmation } from '../components/confirm-identity.js';
import { Dialog } from '../components/dialog.js';
import { Field, Form, Select } from '../components/form.js';
import { Status } from '../components/status.js';
import { Copyable, Time } from '../components/text.js';
import { ApiError, call, post } from '../core/api.js';
import { count, sentence } from '../core/format.js';
import { html } from '../core/html.js';

/** @typedef {import('./endpoints.js').Endpoint} Endpoint */
/** @typedef {(text: string) => void} Done */

/** @param {{ types: Endpoint['events'], reload: () => void, close: () => void }} props */
export function NewEndpoint({ types, reload, close }) {
  const [secret, setSecret] = useState('');
  const add = async (/** @type {FormData} */ fields) => {
    const request = requestOf(fields, types);
    const created = await withConfirmation(() => post('/endpoints', request));
    setSecret(created.secret);
    reload();
  };
  if (secret !== '') {
    return html`<${Dialog} title="Endpoint added" onClose=${close}>
      <p>Verify the signature of every event with this secret. It is only shown now.</p>
      <${Copyable} text=${secret} label="secret" />
      <div class="buttons"><button type="button" class="primary" onClick=${close}>Done</button></div>
    </${Dialog}>`;
  }
  return html`<${Dialog} title="Add endpoint" onClose=${close}>
    <${Form} action="Add endpoint" onSend=${add} onCancel=${close}>
      <${EndpointFields} types=${types} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ endpoint: Endpoint, types: Endpoint['events'], close: () => void, done: Done }} props */
export function ChangeEndpoint({ endpoint, types, close, done }) {
  const change = async (/** @type {FormData} */ fields) => {
    const request = requestOf(fields, types);
    await withConfirmation(() => call('PATCH', `/endpoints/${endpoint.endpoint_id}`, request));
    done('Endpoint changed.');
  };
  return html`<${Dialog} title="Edit endpoint" onClose=${close}>
    <${Form} action="Save" onSend=${change} onCancel=${close}>
      <${EndpointFields} types=${types} endpoint=${endpoint} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ types: Endpoint['events'], endpoint?: Endpoint }} props */
function EndpointFields({ types, endpoint }) {
  const [isAll, setAll] = useState(endpoint?.all_events ?? true);
  return html`<${Field} label="URL" name="url" type="url"
      input=${{ required: true, defaultValue: endpoint?.url ?? '', placeholder: 'https://shop.example/events', autocomplete: 'off' }} />
    <${Select} label="Events" name="which" value=${isAll ? 'all' : 'chosen'}
      options=${[['all', 'All types, including future ones'], ['chosen', 'Only these types']]}
      onChange=${(/** @type {string} */ value) => setAll(value === 'all')} />
    ${
      !isAll &&
      html`<fieldset class="hook-types"><legend>Types</legend>
        ${types.map(
          (type) => html`<label key=${type}><input type="checkbox" name="events" value=${type}
            defaultChecked=${endpoint !== undefined && !endpoint.all_events && endpoint.events.includes(type)} /> ${sentence(type)}</label>`,
        )}
      </fieldset>`
    }`;
}

/**
 * @param {FormData} fields
 * @param {string[]} types
 */
function requestOf(fields, types) {
  const chosen = fields.getAll('events').map(String);
  const isAll = fields.get('which') === 'all' || chosen.length === types.length;
  // An empty list would mean all types.
  if (!isAll && chosen.length === 0)
    throw new ApiError(400, 'NO_TYPE', 'Choose at least one type.');
  return { url: fields.get('url'), events: isAll ? [] : chosen };
}

/** @param {{ endpoint: Endpoint, close: () => void }} props */
export function RotateSecret({ endpoint, close }) {
  const [rotated, setRotated] = useState(
    /** @type {{ secret: string, old_valid_until: string } | undefined} */ (undefined),
  );
  const rotate = async (/** @type {FormData} */ fields) => {
    const overlap_hours = Number(fields.get('overlap'));
    const path = `/endpoints/${endpoint.endpoint_id}/rotate`;
    setRotated(await withConfirmation(() => post(path, { overlap_hours })));
  };
  if (rotated) {
    return html`<${Dialog} title="New secret" onClose=${close}>
      <p>It is only shown now. Until <${Time} at=${rotated.old_valid_until} />, events are signed with both secrets.</p>
      <${Copyable} text=${rotated.secret} label="secret" />
      <div class="buttons"><button type="button" class="primary" onClick=${close}>Done</button></div>
    </${Dialog}>`;
  }
  return html`<${Dialog} title="Rotate secret" onClose=${close}>
    <p class="hook-url">${endpoint.url}</p>
    <${Form} action="Rotate" onSend=${rotate} onCancel=${close}>
      <${Select} label="Also sign with the previous secret" name="overlap" value="24"
        options=${[['0', 'No'], ['1', 'For 1 hour'], ['24', 'For 1 day'], ['168', 'For 7 days']]} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ endpoint: Endpoint, close: () => void, done: Done }} props */
export function DeleteEndpoint({ endpoint, close, done }) {
  const remove = async () => {
    await withConfirmation(() => call('DELETE', `/endpoints/${endpoint.endpoint_id}`));
    done('Endpoint deleted.');
  };
  return html`<${Dialog} title="Delete this endpoint?" onClose=${close}>
    <p class="hook-url">${endpoint.url}</p>
    <p>Its pending events are no longer sent, and its log of attempts is deleted. To pause it, disable it instead.</p>
    <${Form} action="Delete" isDangerous onSend=${remove} onCancel=${close} />
  </${Dialog}>`;
}

/** @param {{ endpoint: Endpoint, result: import('./endpoints.js').TestResult, close: () => void }} props */
export function Tested({ endpoint, result, close }) {
  const { delivered, status, duration_ms, response } = result;
  return html`<${Dialog} title=${delivered ? 'Test delivered' : 'Test not delivered'} onClose=${close}>
    <p class="hook-url">${endpoint.url}</p>
    <p><${Status} of=${delivered ? 'delivered' : 'failed'} /> ${status === null ? 'No response' : `HTTP ${status}`} after ${count(duration_ms)} ms</p>
    ${response !== '' && html`<pre class="block" tabindex="0" role="group" aria-label="Response">${response}</pre>`}
    <div class="buttons"><button type="button" class="primary" onClick=${close}>Close</button></div>
  </${Dialog}>`;
}
