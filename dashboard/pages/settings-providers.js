/** The providers of the account: where they send their webhooks, and the keys of their APIs. */
import { Facts } from '../components/facts.js';
import { Copyable } from '../components/text.js';
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { SettingsForm } from './settings-form.js';

/** @typedef {import('./settings.js').Settings['providers'][number]} Provider */
/** @typedef {Provider['options'][number]} ProviderOption */

/** @param {import('./settings.js').SectionProps} props */
export function Providers({ settings, save }) {
  const saveOptions = (/** @type {Record<string, string | null>} */ changes) => {
    // An empty value removes a setting.
    const given = Object.entries(changes).map(([name, value]) => [name, value ?? '']);
    return save({ providers: Object.fromEntries(given) });
  };
  return settings.providers.map(
    (provider) => html`<div key=${provider.name} class="part stack">
      <h3>${provider.title}</h3>
      <${Facts} facts=${[
        ['Webhook URL', html`<${Copyable} text=${provider.webhook_url} label="webhook URL" />`],
        ['Webhook secret', html`<a href="#keys">Under Keys</a>`],
      ]} />
      <${SettingsForm} label=${`Settings for ${provider.title}`} save=${saveOptions}
        settings=${provider.options.map((option) => settingOf(provider, option))} />
    </div>`,
  );
}

/**
 * @param {Provider} provider
 * @param {ProviderOption} option
 * @returns {import('./settings-form.js').Setting}
 */
function settingOf(provider, { name, description, placeholder, kind, value, set_at }) {
  const short = name.replace(`${provider.name}-`, '');
  const described = {
    name,
    label: labels[kind] ?? sentence(short.replaceAll('-', '_')),
    hint: description,
  };
  const called = [name, `${provider.name} ${calledBy[kind] ?? short}`];
  if (kind === 'secret') return { ...described, called, kind, value: set_at };
  const choices = placeholder.includes('|') ? placeholder.split('|') : [];
  if (choices.length > 0) {
    const options = choices.map((choice) => /** @type {const} */ ([choice, sentence(choice)]));
    return { ...described, called, value, kind: 'choice', options };
  }
  const input = { autocomplete: 'off', spellcheck: false };
  return { ...described, called, value, input };
}

/**
 * The word password is for the user's own, which a dialog may ask for on this page.
 * @type {Record<string, string>}
 */
const labels = { secret: 'API secret', url: 'API URL' };

/** @type {Record<string, string>} */
const calledBy = { login: 'login', url: 'URL' };
