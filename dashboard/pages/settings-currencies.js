/**
 * The currencies whose orders are charged in another one. A rate is set in a dialog with an example, because one wrong
 * digit is expensive; the service refuses one that is far from the former one until it is typed again.
 */
import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { Field, Form } from '../components/form.js';
import { Table } from '../components/table.js';
import { say } from '../components/toast.js';
import { ApiError } from '../core/api.js';
import { codedAmount } from '../core/format.js';
import { html } from '../core/html.js';
import { mayChange } from './settings-form.js';

/** @typedef {import('./settings.js').Settings['alternate_currencies'][number] & { confirmed_rate?: string }} Rate `confirmed_rate` is sent only. */
/** @typedef {{ kind: 'add' } | { kind: 'change' | 'remove', rate: Rate }} Opened */

/** @param {import('./settings.js').SectionProps} props */
export function Currencies({ settings, save, reload }) {
  const [dialog, setDialog] = useState(/** @type {Opened | undefined} */ (undefined));
  const close = () => setDialog(undefined);
  const rates = settings.alternate_currencies;
  const saveRates = async (/** @type {Rate[]} */ changed, /** @type {string} */ text) => {
    await save({ alternate_currencies: changed });
    close();
    say(text);
  };
  const others = (/** @type {Rate} */ { from }) => rates.filter((one) => one.from !== from);
  // A second rate for a currency is refused.
  const add = (/** @type {Rate} */ rate) => saveRates([...rates, rate], 'Currency added.');
  const change = (/** @type {Rate} */ rate) => saveRates([...others(rate), rate], 'Rate changed.');
  const remove = (/** @type {Rate} */ rate) => saveRates(others(rate), 'Currency removed.');
  const formerOf = (/** @type {string} */ currency) =>
    [...rates, ...settings.former_rates].find(({ from }) => from === currency);
  return html`<p class="hint">Orders in these currencies are charged in another one, at the rate of the time when the order is created.</p>
    ${
      rates.length === 0
        ? html`<p class="quiet">None. Every order is charged in its own currency.</p>`
        : html`<${Table} caption="Currencies" rows=${rates} keyOf=${(/** @type {Rate} */ one) => one.from} columns=${columnsWith(setDialog)} />`
    }
    ${mayChange() && html`<div class="buttons"><button type="button" onClick=${() => setDialog({ kind: 'add' })}>Add currency</button></div>`}
    ${dialog?.kind === 'add' && html`<${RateDialog} formerOf=${formerOf} send=${add} reload=${reload} close=${close} />`}
    ${dialog?.kind === 'change' && html`<${RateDialog} now=${dialog.rate} formerOf=${formerOf} send=${change} reload=${reload} close=${close} />`}
    ${dialog?.kind === 'remove' && html`<${Remove} rate=${dialog.rate} send=${remove} close=${close} />`}`;
}

/**
 * @param {(dialog: Opened) => void} open
 * @returns {import('../components/table.js').Column<Rate>[]}
 */
function columnsWith(open) {
  const button = (
    /** @type {'change' | 'remove'} */ kind,
    /** @type {string} */ label,
    /** @type {Rate} */ rate,
  ) =>
    html`<button type="button" class="small" aria-label=${`${label} ${rate.from}`} onClick=${() => open({ kind, rate })}>${label}</button>`;
  return [
    { label: 'Orders in', cell: ({ from }) => from },
    { label: 'Charged in', cell: ({ to }) => to },
    { label: 'Rate', cell: ({ rate }) => rate, isNumber: true },
    ...(mayChange()
      ? [
          {
            label: 'Actions',
            cell: (/** @type {Rate} */ rate) =>
              html`<span class="buttons">${button('change', 'Change', rate)}${button('remove', 'Remove', rate)}</span>`,
          },
        ]
      : []),
  ];
}

/**
 * @param {object} props
 * @param {Rate} [props.now] The one that is changed. Without it a currency is added.
 * @param {(currency: string) => Rate | undefined} props.formerOf
 * @param {(rate: Rate) => Promise<void>} props.send
 * @param {() => void} props.reload
 * @param {() => void} props.close
 */
function RateDialog({ now, formerOf, send, reload, close }) {
  const [typed, setTyped] = useState(now ?? { from: '', to: '', rate: '' });
  const [isFar, setFar] = useState(false);
  const sendFirst = async () => {
    try {
      await send(typed);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'RATE_NOT_CONFIRMED') throw error;
      // Somebody else may have changed the rate that it was compared with.
      reload();
      setFar(true);
    }
  };
  if (isFar) {
    const former = formerOf(typed.from);
    return html`<${Repeat} former=${former} rate=${typed} send=${send} back=${() => setFar(false)} close=${close} />`;
  }
  const field = (/** @type {'from' | 'to' | 'rate'} */ name, /** @type {object} */ input) => ({
    required: true,
    autocomplete: 'off',
    spellcheck: false,
    value: typed[name],
    ...input,
    onInput: (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
      setTyped({ ...typed, [name]: currentTarget.value.trim().toUpperCase() }),
  });
  const code = { maxlength: 3, autocapitalize: 'characters' };
  const hint = `How many ${typed.to || 'units'} are charged for 1 ${typed.from || 'of the order'}.`;
  return html`<${Dialog} title=${now ? `Change the rate of ${now.from}` : 'Add currency'} onClose=${close}>
    ${now && html`<p>Now ${now.rate}: ${exampleOf(now)}.</p>`}
    <${Form} action=${now ? 'Change rate' : 'Add currency'} onSend=${sendFirst} onCancel=${close}>
      ${
        !now &&
        html`<div class="rate-pair">
          <${Field} label="Orders in" name="from" input=${field('from', { ...code, placeholder: 'USD' })} />
          <${Field} label="Charged in" name="to" input=${field('to', { ...code, placeholder: 'INR' })} />
        </div>`
      }
      <${Field} label="Rate" name="rate" hint=${hint} input=${field('rate', { inputmode: 'decimal', placeholder: '83.25' })} />
      <output class="rate-example">${exampleOf(typed) ?? 'An example is shown here as you type.'}</output>
    </${Form}>
  </${Dialog}>`;
}

/**
 * @param {object} props
 * @param {Rate | undefined} props.former
 * @param {Rate} props.rate
 * @param {(rate: Rate) => Promise<void>} props.send
 * @param {() => void} props.back
 * @param {() => void} props.close
 */
function Repeat({ former, rate, send, back, close }) {
  const repeat = async (/** @type {FormData} */ fields) => {
    const confirmed_rate = String(fields.get('confirmed_rate')).trim();
    if (confirmed_rate !== rate.rate) {
      const message = `This is not the new rate, ${rate.rate}. Type that one, or correct it.`;
      throw new ApiError(400, 'NOT_REPEATED', message);
    }
    await send({ ...rate, confirmed_rate });
  };
  const input = {
    required: true,
    autofocus: true,
    autocomplete: 'off',
    spellcheck: false,
    inputmode: 'decimal',
  };
  return html`<${Dialog} title="Is this rate right?" onClose=${close}>
    <p>It is far from the former one. If it is a mistake, <button type="button" class="link" onClick=${back}>correct the rate</button>.</p>
    ${former && html`<p class="rate-example">Former rate <strong>${former.rate}</strong>: ${exampleOf(former)}</p>`}
    <p class="rate-example">New rate <strong>${rate.rate}</strong>: ${exampleOf(rate)}</p>
    <${Form} action="Set this rate" isDangerous onSend=${repeat} onCancel=${close}>
      <${Field} label="Type the new rate again" name="confirmed_rate" input=${input} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ rate: Rate, send: (rate: Rate) => Promise<void>, close: () => void }} props */
function Remove({ rate, send, close }) {
  return html`<${Dialog} title=${`Remove the rate of ${rate.from}?`} onClose=${close}>
    <p>New orders in ${rate.from} are charged in ${rate.from}. Orders that exist keep their amounts.</p>
    <${Form} action="Remove" isDangerous onSend=${() => send(rate)} onCancel=${close} />
  </${Dialog}>`;
}

/**
 * What a hundred are worth: the decimal point moves two places, so nothing is calculated in floating point.
 * @param {Rate} rate
 */
function exampleOf({ from, to, rate }) {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,30}))?$/.exec(rate) ?? [];
  const isKnown = [from, to].every((code) => /^[A-Z]{3}$/.test(code));
  if (whole === undefined || !isKnown) return undefined;
  const decimals = fraction.padEnd(2, '0');
  const charged = `${whole}${decimals.slice(0, 2)}.${decimals.slice(2)}0`;
  return `${codedAmount('100', from)} are charged as ${codedAmount(charged, to)}`;
}
