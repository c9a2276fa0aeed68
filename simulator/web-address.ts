/** Where a browser may be sent: to the web, and to nothing that runs code. */

export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}
