/** The field for a new password. The hidden name beside it tells password managers whose password it is. */
import { html } from '../core/html.js';
import { Field } from './form.js';

/** As the service demands it. Contract 13.2. */
const charsMin = 12;

/** @param {{ label: string, email: string | undefined, hint: string }} props */
export function NewPassword({ label, email, hint }) {
  const input = { required: true, minlength: charsMin, autocomplete: 'new-password' };
  return html`<input type="hidden" name="username" autocomplete="username" value=${email} />
    <${Field} label=${label} name="password" type="password" input=${input}
      hint=${`At least ${charsMin} characters. ${hint}`} />`;
}
