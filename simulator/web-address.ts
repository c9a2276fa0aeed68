/** Accepts only http and https URLs: a browser must not be sent to a URL that runs code. */

export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}
