/** Reads request bodies of unknown shape, and carries a provider's error reply. */

export type Wire = Readonly<Record<string, unknown>>;

export function object(value: unknown): Wire {
  return typeof value === 'object' && value !== null ? (value as Wire) : {};
}

/** An empty text counts as absent. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function texts(...values: readonly unknown[]): string[] {
  return values.map(text).filter((value) => value !== undefined);
}

/** Only http and https: a browser must not be sent to a URL that runs code. */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}

/** Thrown where a provider would refuse a request; its body is sent unchanged. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Wire;

  constructor(status: number, body: Wire, why: string) {
    super(why);
    this.status = status;
    this.body = body;
  }
}

/** Of the simulator's own API. */
export function invalidInput(why: string): Refusal {
  return new Refusal(400, { error: why }, why);
}

export function basicCredentials(header: string | undefined): { name: string; password: string } {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(header ?? '') ?? [];
  const plain = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = plain.indexOf(':');
  return { name: plain.slice(0, Math.max(colon, 0)), password: plain.slice(colon + 1) };
}
