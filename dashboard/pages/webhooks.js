/** Endpoints of the shop and the events that are sent to them. */
import { useState } from 'preact/hooks';
import { Loaded } from '../components/states.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { may } from '../core/session.js';
import { NewEndpoint } from './endpoint-dialogs.js';
import { Endpoints } from './endpoints.js';
import { Events } from './events.js';

/** @typedef {import('./endpoints.js').Endpoint} Endpoint */

export function Page() {
  const live = useLive('/endpoints');
  const [isNew, setNew] = useState(false);
  return html`<div class="head"><h1>Webhooks</h1>
      ${may('owner') && html`<button type="button" class="primary" onClick=${() => setNew(true)}>Add endpoint</button>`}
    </div>
    <${Loaded} live=${live} lines=${3}>${(
      /** @type {{ endpoints: Endpoint[], event_types: Endpoint['events'] }} */ data,
    ) => html`
      <${Endpoints} endpoints=${data.endpoints} types=${data.event_types} reload=${live.reload} />
      <${Events} endpoints=${data.endpoints} />
      ${
        isNew &&
        html`<${NewEndpoint} types=${data.event_types} reload=${live.reload} close=${() => setNew(false)} />`
      }`}
    </${Loaded}>`;
}
