/** A status as a word with a colour. The word alone says everything: the colour only helps the eye. */
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';

/** @type {Record<string, 'good' | 'bad' | 'busy' | 'quiet'>} */
const tones = {
  ...{
    completed: 'good',
    succeeded: 'good',
    processed: 'good',
    delivered: 'good',
    enabled: 'good',
  },
  ...{ undelivered: 'bad', failing: 'bad' },
  ...{ failed: 'bad', dead: 'bad', review: 'bad', disabled: 'bad', error: 'bad' },
  ...{ needs_review: 'bad', received: 'busy' },
  ...{ pending: 'busy', processing: 'busy', authorized: 'busy', parked: 'busy', reversing: 'busy' },
  ...{ new: 'quiet', lapsed: 'quiet', reversed: 'quiet', stale: 'quiet', duplicate: 'quiet' },
};

/** @param {{ of: string }} props */
export function Status({ of }) {
  return html`<span class=${`status ${tones[of] ?? 'quiet'}`}>${sentence(of)}</span>`;
}
