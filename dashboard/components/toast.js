/** Short messages about what was done. They are read aloud and disappear by themselves. */
import { signal } from '@preact/signals';
import { html } from '../core/html.js';

const shownMs = 6_000;
const messages = signal(/** @type {{ id: number, text: string }[]} */ ([]));
let lastId = 0;

/** @param {string} text */
export function say(text) {
  lastId += 1;
  const id = lastId;
  messages.value = [...messages.value, { id, text }];
  setTimeout(() => {
    messages.value = messages.value.filter((message) => message.id !== id);
  }, shownMs);
}

export function Toasts() {
  return html`<div class="toasts" role="status">
    ${messages.value.map(({ id, text }) => html`<p key=${id} class="toast">${text}</p>`)}
  </div>`;
}
