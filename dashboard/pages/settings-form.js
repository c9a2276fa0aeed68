/**
 * A part of the settings: a form with its own button for owners, the plain values for everybody else. It sends only what
 * changed, and shows a refusal beside the field that it is about.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Facts } from '../components/facts.js';
import { say } from '../components/toast.js';
import { capital, time } from '../core/format.js';
import { html } from '../core/html.js';
import { problemOf } from '../core/problem.js';
import { may, session } from '../core/session.js';

/**
 * @typedef {object} Setting
 * @property {string} name The field of the API.
 * @property {string} label
 * @property {any} value
 * @property {'text' | 'switch' | 'choice' | 'lines' | 'secret'} [kind] Text, unless given.
 * @property {string} [hint]
 * @property {boolean} [isRequired] An empty text is sent as it is, and refused.
 * @property {readonly (readonly [value: string, text: string])[]} [options] Of a choice; the empty value is null.
 * @property {readonly string[]} [called] How refusals begin that are about it, if not with its name.
 * @property {Record<string, unknown>} [input] Further attributes.
 * @property {any} [after] Shown behind the field.
 */

/** Owners of an account that is not suspended. */
export function mayChange() {
  return may('owner') && !session.value?.account?.suspended;
}

/**
 * @param {object} props
 * @param {readonly Setting[]} props.settings
 * @param {(changes: Record<string, any>) => Promise<unknown>} props.save
 * @param {() => Record<string, any>} [props.more] Further changes.
 * @param {(fields: FormData) => void} [props.onInput]
 * @param {string} [props.label] For screen readers.
 * @param {import('../core/html.js').Children} [props.children]
 */
export function SettingsForm({ settings, save, more = () => ({}), onInput, label, children }) {
  const [state, setState] = useState({ isBusy: false, problem: '', field: '' });
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const isSending = useRef(false);
  const isSaved = useRef(false);
  const valuesText = JSON.stringify(settings.map(({ value }) => value));
  useEffect(() => {
    // The service may spell a value differently: after saving, the fields show what is stored.
    if (isSaved.current) form.current?.reset();
    isSaved.current = false;
  }, [valuesText]);
  if (!mayChange())
    return html`<${Facts} facts=${settings.map((setting) => [setting.label, shownValue(setting)])} />${children}`;

  const send = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isSending.current || !form.current) return;
    const changes = { ...changesOf(settings, new FormData(form.current)), ...more() };
    if (Object.keys(changes).length === 0) {
      setState({ isBusy: false, problem: '', field: '' });
      return say('Nothing has changed.');
    }
    isSending.current = true;
    setState({ isBusy: true, problem: '', field: '' });
    const refusal = await save(changes).then(() => undefined, refusalIn(settings));
    isSending.current = false;
    setState({ isBusy: false, problem: '', field: '', ...refusal });
    if (refusal) return focusOn(form.current, refusal.field);
    isSaved.current = true;
    clearSecrets(form.current);
    say('Saved.');
  };
  const input = () => {
    // What is typed after saving stays.
    isSaved.current = false;
    if (form.current) onInput?.(new FormData(form.current));
  };
  return html`<form class="stack" ref=${form} onSubmit=${send} onInput=${input} aria-label=${label} noValidate>
    <div class="fields">
    ${settings.map(
      (setting) =>
        html`<${Control} key=${setting.name} setting=${setting} problem=${state.field === setting.name ? state.problem : ''} />`,
    )}
    </div>
    ${children}
    <p class="problem" role="alert">${state.field === '' && state.problem}</p>
    <div class="buttons"><button aria-disabled=${state.isBusy}>${state.isBusy ? 'Please wait…' : 'Save'}</button></div>
  </form>`;
}

/**
 * @param {readonly Setting[]} settings
 * @param {FormData} fields
 */
function changesOf(settings, fields) {
  /** @type {Record<string, any>} */
  const changes = {};
  for (const setting of settings) {
    const value = readValue(setting, fields);
    if (JSON.stringify(value) !== JSON.stringify(setting.value)) changes[setting.name] = value;
  }
  return changes;
}

/**
 * @param {Setting} setting
 * @param {FormData} fields
 */
function readValue({ name, kind = 'text', value, isRequired }, fields) {
  const text = String(fields.get(name) ?? '').trim();
  if (kind === 'switch') return fields.has(name);
  if (kind === 'secret') return text === '' ? value : text;
  if (kind !== 'lines') return text === '' && !isRequired ? null : text;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** @param {readonly Setting[]} settings */
function refusalIn(settings) {
  return (/** @type {unknown} */ error) => {
    const problem = problemOf(error);
    for (const { name, label, called = [name] } of settings) {
      const found = called.find((word) => problem.startsWith(`${word} `));
      if (found === undefined) continue;
      const isName = found === name;
      return {
        field: name,
        problem: isName ? label + problem.slice(found.length) : capital(problem),
      };
    }
    return { field: '', problem: capital(problem) };
  };
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function focusOn(form, name) {
  const field = name === '' ? null : form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

/** @param {HTMLFormElement} form */
function clearSecrets(form) {
  for (const input of form.querySelectorAll('input')) {
    if (input.type === 'password') input.value = '';
  }
}

/** @param {{ setting: Setting, problem: string }} props */
function Control({ setting, problem }) {
  const { name, label, kind = 'text', value, input = {}, after } = setting;
  const id = useId();
  const hint = [setting.hint, kind === 'secret' && secretHint(value)].filter(Boolean).join(' ');
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    'aria-describedby': described || undefined,
    'aria-invalid': problem ? 'true' : undefined,
    ...input,
  };
  const notes = html`${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${problem && html`<p class="problem" id=${`${id}-problem`} role="alert">${problem}</p>`}`;
  if (kind === 'switch') {
    return html`<div class="field"><label class="switch" for=${id}>
      <input type="checkbox" ...${shared} defaultChecked=${value} /> ${label}</label>${notes}</div>`;
  }
  return html`<div class="field"><label for=${id}>${label}</label>
    <div class="control">${fieldOf(setting, shared)}${after}</div>${notes}</div>`;
}

/** @param {string | null} setAt */
function secretHint(setAt) {
  return setAt === null ? 'Not set.' : `Set on ${time(setAt)}. Leave empty to keep it.`;
}

/**
 * Uncontrolled, so that a refresh of the data does not undo what somebody is typing.
 * @param {Setting} setting
 * @param {Record<string, unknown>} shared
 */
function fieldOf({ kind = 'text', value, options = [] }, shared) {
  if (kind === 'choice') {
    return html`<select ...${shared}>${options.map(
      ([key, text]) =>
        html`<option value=${key} defaultSelected=${key === (value ?? '')}>${text}</option>`,
    )}</select>`;
  }
  if (kind === 'lines') {
    const rows = Math.max(3, value.length + 1);
    return html`<textarea ...${shared} rows=${rows} defaultValue=${value.join('\n')} />`;
  }
  if (kind === 'secret') {
    return html`<input type="password" autocomplete="new-password" ...${shared} />`;
  }
  return html`<input defaultValue=${value ?? ''} ...${shared} />`;
}

/** @param {Setting} setting */
function shownValue({ kind = 'text', value, options = [] }) {
  if (kind === 'switch') return value ? 'Yes' : 'No';
  if (kind === 'choice') return options.find(([key]) => key === (value ?? ''))?.[1] ?? value;
  if (kind === 'secret') return value === null ? 'Not set' : `Set on ${time(value)}`;
  if (kind === 'lines') {
    return value.length === 0 ? '–' : value.map((/** @type {string} */ one) => html`<p>${one}</p>`);
  }
  return value ?? '–';
}
