/** How the checkout page of the shop looks, with a preview of what is being typed. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { describeColour, findColour, textOn, usualColour } from '../core/colour.js';
import { money } from '../core/format.js';
import { html } from '../core/html.js';
import { mayChange, SettingsForm } from './settings-form.js';

const logoBytesMax = 64 * 1024;

/** A logo that was chosen and is not saved yet; null to remove the stored one. */
/** @typedef {{ url: string, base64: string } | null | undefined} NewLogo */

/** @param {import('./settings.js').SectionProps} props */
export function Branding({ settings, save }) {
  const [typed, setTyped] = useState({ name: settings.name, colour: settings.colour ?? '' });
  const [logo, setLogo] = useState(/** @type {NewLogo} */ (undefined));
  // A new key empties the field of the file.
  const [turn, setTurn] = useState(0);
  const colour = findColour(typed.colour) ?? usualColour;
  const read = (/** @type {FormData} */ fields) =>
    setTyped({ name: String(fields.get('name')), colour: String(fields.get('colour')) });
  const saveAll = async (/** @type {object} */ changes) => {
    await save(changes);
    setLogo(undefined);
    setTurn((last) => last + 1);
  };
  const text = (
    /** @type {string} */ name,
    /** @type {string} */ label,
    /** @type {any} */ value,
  ) => ({
    name,
    label,
    value,
    called: [label.replace(/^S/, 's'), name],
  });
  const fields = [
    { ...text('name', 'Name', settings.name), isRequired: true, input: { autocomplete: 'off' } },
    {
      name: 'colour',
      label: 'Colour',
      value: settings.colour,
      hint:
        typed.colour === ''
          ? 'Such as #0a7cff. If empty, the default is used.'
          : describeColour(colour),
      input: { autocomplete: 'off', spellcheck: false },
      after: html`<${Picker} colour=${colour} />`,
    },
    {
      ...text('support_email', 'Support email', settings.support_email),
      input: { type: 'email', autocomplete: 'off' },
    },
    {
      ...text('support_phone', 'Support phone', settings.support_phone),
      input: { type: 'tel', autocomplete: 'off' },
    },
    {
      ...text('support_url', 'Support page', settings.support_url),
      called: ['support URL', 'support_url'],
      input: { type: 'url', autocomplete: 'off' },
    },
    {
      name: 'upi_collect',
      kind: 'switch',
      value: settings.upi_collect,
      label: 'Consumers may enter a UPI ID',
    },
  ];
  const stored = settings.logo?.url;
  const logoUrl = logo === undefined ? stored : logo?.url;
  return html`<div class="branding">
    <${SettingsForm} label="Checkout branding" settings=${fields} save=${saveAll} onInput=${read}
      more=${() => (logo === undefined ? {} : { logo: logo?.base64 ?? null })}>
      ${mayChange() && html`<${LogoField} key=${turn} hasLogo=${logoUrl !== undefined} choose=${setLogo} isStored=${stored !== undefined} />`}
    </${SettingsForm}>
    <${Preview} name=${mayChange() ? typed.name : settings.name} colour=${colour} logoUrl=${logoUrl} />
  </div>`;
}

/** @param {{ colour: string }} props */
function Picker({ colour }) {
  const pick = (/** @type {Event} */ event) => {
    const picker = event.currentTarget;
    if (!(picker instanceof HTMLInputElement)) return;
    const field = picker.form?.elements.namedItem('colour');
    if (field instanceof HTMLInputElement) field.value = picker.value;
  };
  return html`<input type="color" class="picker" aria-label="Pick a colour" value=${colour} onInput=${pick} />`;
}

/** @param {{ hasLogo: boolean, isStored: boolean, choose: (logo: NewLogo) => void }} props */
function LogoField({ hasLogo, isStored, choose }) {
  const id = useId();
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [problem, setProblem] = useState('');
  const read = async () => {
    const file = input.current?.files?.[0];
    setProblem('');
    if (!file) return;
    if (file.size > logoBytesMax) {
      if (input.current) input.current.value = '';
      return setProblem(`The file has ${Math.ceil(file.size / 1024)} KiB. The limit is 64 KiB.`);
    }
    const url = await dataUrlOf(file);
    choose({ url, base64: url.slice(url.indexOf(',') + 1) });
  };
  const remove = () => {
    if (input.current) input.current.value = '';
    choose(isStored ? null : undefined);
  };
  return html`<div class="field">
    <label for=${id}>Logo</label>
    <div class="control">
      <input id=${id} ref=${input} type="file" accept="image/png,image/jpeg,image/webp" onChange=${read}
        aria-describedby=${`${id}-hint ${id}-problem`} />
      ${hasLogo && html`<button type="button" onClick=${remove}>Remove logo</button>`}
    </div>
    <p class="hint" id=${`${id}-hint`}>PNG, JPEG or WebP, at most 64 KiB.</p>
    <p class="problem" role="alert" id=${`${id}-problem`}>${problem}</p>
  </div>`;
}

/**
 * @param {File} file
 * @returns {Promise<string>}
 */
function dataUrlOf(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** @param {{ name: string, colour: string, logoUrl: string | undefined }} props */
function Preview({ name, colour, logoUrl }) {
  const mock = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    mock.current?.style.setProperty('--shop', colour);
    mock.current?.style.setProperty('--on-shop', textOn(colour));
  }, [colour]);
  return html`<figure class="preview" ref=${mock}>
    <figcaption class="hint">Preview</figcaption>
    <div class="preview-page">
      <p class="preview-shop">${logoUrl && html`<img src=${logoUrl} alt="" />`}<strong>${name || 'Your shop'}</strong></p>
      <p class="preview-amount">${money('118.00', 'INR')}</p>
      <p class="preview-mode">UPI</p>
      <p class="preview-button">Pay ${money('118.00', 'INR')}</p>
    </div>
  </figure>`;
}
