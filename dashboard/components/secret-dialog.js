/** A secret in front of the page for 30 seconds. Then, and whenever the page is left, it is in the page no longer. */
import { useEffect, useState } from 'preact/hooks';
import { html } from '../core/html.js';
import { Dialog } from './dialog.js';
import { Copyable } from './text.js';

const visibleMs = 30_000;

/**
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.secret
 * @param {() => void} props.onEnd Must forget the secret.
 * @param {import('../core/html.js').Children} [props.children]
 */
export function SecretDialog({ title, secret, onEnd, children }) {
  const [endsAtMs] = useState(() => Date.now() + visibleMs);
  const [seconds, setSeconds] = useState(visibleMs / 1_000);
  useEffect(() => {
    const tick = () => {
      const left = Math.ceil((endsAtMs - Date.now()) / 1_000);
      if (left > 0) setSeconds(left);
      else onEnd();
    };
    const timer = setInterval(tick, 250);
    // Browsers keep a page that is left for the way back, and slow down the timers of a hidden one.
    addEventListener('pagehide', onEnd);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      removeEventListener('pagehide', onEnd);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [endsAtMs]);
  return html`<${Dialog} title=${title} onClose=${onEnd}>
    <p class="secret"><${Copyable} text=${secret} label="secret" /></p>
    ${children}
    <p class="quiet">It is hidden again in <span class="countdown">${seconds}</span> s.</p>
    <div class="buttons"><button type="button" class="primary" onClick=${onEnd}>Done</button></div>
  </${Dialog}>`;
}
