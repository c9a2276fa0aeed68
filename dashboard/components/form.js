/** Forms that send one call: the second click does nothing, and an error stands beside the button. */
import { useId, useRef, useState } from 'preact/hooks';
import { html } from '../core/html.js';
import { problemOf } from '../core/problem.js';

/**
 * @param {object} props
 * @param {string} props.action The words on the button.
 * @param {(fields: FormData) => Promise<unknown>} props.onSend
 * @param {import('../core/html.js').Children} [props.children]
 * @param {() => void} [props.onCancel]
 * @param {string} [props.dismiss] The words on the button of `onCancel`.
 * @param {boolean} [props.isDangerous]
 */
export function Form({
  action,
  onSend,
  children,
  onCancel,
  dismiss = 'Cancel',
  isDangerous = false,
}) {
  const [state, setState] = useState({ isBusy: false, problem: '' });
  // A click can come before the button is rendered as busy.
  const isSending = useRef(false);
  const send = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isSending.current || !(event.currentTarget instanceof HTMLFormElement)) return;
    isSending.current = true;
    setState({ isBusy: true, problem: '' });
    let problem = '';
    try {
      await onSend(new FormData(event.currentTarget));
    } catch (error) {
      problem = problemOf(error);
    } finally {
      isSending.current = false;
      setState({ isBusy: false, problem });
    }
  };
  return html`<form class="stack" onSubmit=${send}>
    ${children}
    <p class="problem" role="alert">${state.problem}</p>
    <div class="buttons">
      ${onCancel && html`<button type="button" class="plain" onClick=${onCancel}>${dismiss}</button>`}
      <button class=${isDangerous ? 'danger' : 'primary'} aria-disabled=${state.isBusy}>
        ${state.isBusy ? 'Please wait…' : action}
      </button>
    </div>
  </form>`;
}

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.name
 * @param {string} [props.hint]
 * @param {string} [props.type]
 * @param {Record<string, unknown>} [props.input] Further attributes.
 */
export function Field({ label, name, hint, type = 'text', input = {} }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input id=${id} name=${name} type=${type} aria-describedby=${hint ? `${id}-hint` : undefined} ...${input} />
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.name
 * @param {readonly (readonly [value: string, text: string])[]} props.options
 * @param {string} [props.value]
 * @param {(value: string) => void} [props.onChange]
 */
export function Select({ label, name, options, value, onChange }) {
  const id = useId();
  const change = (/** @type {Event} */ event) => {
    if (event.currentTarget instanceof HTMLSelectElement) onChange?.(event.currentTarget.value);
  };
  // Without a listener the value is only the first one: a page that refreshes must not undo the choice.
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} name=${name} value=${onChange && value} onChange=${change}>
      ${options.map(([key, text]) => html`<option value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  </div>`;
}
