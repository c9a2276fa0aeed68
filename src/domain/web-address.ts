/** An address a consumer can be sent to. */

/** http or https, without credentials: anything else may be a script, or lead elsewhere than it looks. */
export function isWebAddress(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
