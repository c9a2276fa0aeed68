/**
 * A filter that is typed. It takes effect when somebody leaves it, presses Enter or stops typing for a moment. What
 * cannot be understood has no effect and is marked.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { html } from '../core/html.js';

const pauseMs = 800;

/**
 * @typedef {object} Kind
 * @property {string} type Of the input.
 * @property {Record<string, string>} input Further attributes.
 * @property {(value: string) => string} show From the address to the input.
 * @property {(text: string) => string | undefined} read From the input to the address; undefined if it makes no sense.
 * @property {string} hint
 */

/** @type {Record<'amount' | 'time', Kind>} */
const kinds = {
  amount: {
    type: 'text',
    input: { inputmode: 'decimal', autocomplete: 'off', placeholder: '0.00' },
    show: (value) => value,
    read: (text) => (/^(\d+(\.\d+)?)?$/.test(text) ? text : undefined),
    hint: 'An amount such as 118.00',
  },
  time: {
    type: 'datetime-local',
    input: {},
    show: localTime,
    read: (text) => (text === '' ? '' : isoTime(text)),
    hint: 'A day and a time',
  },
};

/** @param {string} iso */
function localTime(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** @param {string} text */
function isoTime(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/**
 * @param {object} props
 * @param {'amount' | 'time'} props.kind
 * @param {string} props.name
 * @param {string} props.label
 * @param {string} props.value As in the address.
 * @param {(value: string) => void} props.onChange
 */
export function FilterInput({ kind, name, label, value, onChange }) {
  const id = useId();
  const { type, input, show, read, hint } = kinds[kind];
  const element = useRef(/** @type {HTMLInputElement | null} */ (null));
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    const field = element.current;
    // The address has changed in another way, such as by the back button.
    if (field && read(field.value.trim()) !== value) field.value = show(value);
    setWrong(false);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const apply = () => {
    clearTimeout(timer.current);
    const field = element.current;
    if (!field) return;
    const wanted = field.validity.badInput ? undefined : read(field.value.trim());
    setWrong(wanted === undefined);
    if (wanted !== undefined && show(wanted) !== show(value)) onChange(wanted);
  };
  const onInput = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(apply, pauseMs);
  };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input id=${id} ref=${element} name=${name} type=${type} ...${input} aria-invalid=${isWrong}
      aria-describedby=${isWrong ? `${id}-hint` : undefined} onInput=${onInput} onBlur=${apply}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && apply()} />
    ${isWrong && html`<p class="problem" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}
