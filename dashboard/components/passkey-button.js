/** A button that uses a passkey. What went wrong stands below it. */
import { useRef, useState } from 'preact/hooks';
import { html } from '../core/html.js';
import { hasPasskeys } from '../core/passkey.js';
import { problemOf } from '../core/problem.js';

/** @param {{ label: string, onUse: () => Promise<unknown> }} props Nothing is shown where there are no passkeys. */
export function PasskeyButton({ label, onUse }) {
  const [state, setState] = useState({ isBusy: false, problem: '' });
  // A click can come before the button is rendered as busy.
  const isUsing = useRef(false);
  const use = async () => {
    if (isUsing.current) return;
    isUsing.current = true;
    setState({ isBusy: true, problem: '' });
    let problem = '';
    try {
      await onUse();
    } catch (error) {
      problem = problemOf(error);
    } finally {
      isUsing.current = false;
      setState({ isBusy: false, problem });
    }
  };
  if (!hasPasskeys) return null;
  return html`<div class="stack passkey">
    <div class="buttons"><button type="button" aria-disabled=${state.isBusy} onClick=${use}>
      ${state.isBusy ? 'Please wait…' : label}</button></div>
    <p class="problem" role="alert">${state.problem}</p>
  </div>`;
}
