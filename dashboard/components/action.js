/** A button that makes one call. A second click while it runs does nothing, and a refusal is said. */
import { useRef, useState } from 'preact/hooks';
import { html } from '../core/html.js';
import { problemOf } from '../core/problem.js';
import { say } from './toast.js';

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} [props.about] For screen readers, where several buttons have the same words.
 * @param {string} [props.busy]
 * @param {string} [props.kind] The class of the button.
 * @param {() => Promise<unknown>} props.onAct
 */
export function Action({ label, about, busy = 'Please wait…', kind = 'small', onAct }) {
  const [isBusy, setBusy] = useState(false);
  // A click can come before the button is rendered as busy.
  const isActing = useRef(false);
  const act = async () => {
    if (isActing.current) return;
    isActing.current = true;
    setBusy(true);
    try {
      await onAct();
    } catch (error) {
      say(problemOf(error));
    } finally {
      isActing.current = false;
      setBusy(false);
    }
  };
  return html`<button type="button" class=${kind} aria-description=${about} aria-disabled=${isBusy} onClick=${act}>
    ${isBusy ? busy : label}
  </button>`;
}
