/** Collects real calls as the examples of the OpenAPI document. Hosts of the test are replaced by those of a shop. */
import assert from 'node:assert/strict';
import type { Examples } from '../../src/http/open-api/documentation.ts';
import type { Reply } from '../support/test-service.ts';

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };
export type Recorded = Mutable<Examples>;

export type Recorder = {
  readonly request: (name: string, summary: string, value: unknown) => void;
  readonly form: (name: string, summary: string, value: unknown) => void;
  readonly reply: (name: string, summary: string, reply: Reply, status?: number) => void;
  /** The reply must be this error. */
  readonly error: (code: string, status: number, reply: Reply) => void;
  readonly parameters: (values: Record<string, unknown>) => void;
  readonly examples: () => Recorded;
};

/** `hosts` are the addresses of the test and what the examples show instead. */
export function createRecorder(hosts: ReadonlyMap<string, string>): Recorder {
  const examples: Recorded = { replies: {} };
  const shown = (value: unknown): unknown => {
    let text = JSON.stringify(value);
    for (const [from, to] of hosts) text = text.replaceAll(from, to);
    return JSON.parse(text);
  };
  return {
    request: (name, summary, value) => {
      examples.requests = { ...examples.requests, [name]: { summary, value: shown(value) } };
    },
    form: (name, summary, value) => {
      examples.formData = { ...examples.formData, [name]: { summary, value: shown(value) } };
    },
    reply: (name, summary, { status, body }, expected = 200) => {
      assert.equal(status, expected, `${name}: ${JSON.stringify(body)}`);
      const others = examples.replies[status];
      const own = { [name]: { summary, value: shown(body) } };
      examples.replies = { ...examples.replies, [status]: { ...others, ...own } };
    },
    error: (code, expected, { status, body }) => {
      assert.equal(status, expected, `${code}: ${JSON.stringify(body)}`);
      // The bodies of webhooks have no code.
      if (body.error?.svc_error_code !== undefined) assert.equal(body.error.svc_error_code, code);
      examples.errors = { ...examples.errors, [code]: shown(body) };
    },
    parameters: (values) => {
      examples.parameters = { ...examples.parameters, ...values };
    },
    examples: () => examples,
  };
}

/** Replaces what differs from run to run: ids, tokens, times, digests and the providers' references. */
export function normalise(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => normalise(entry, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, normalise(entry, key)]),
    );
  }
  if (typeof value === 'number') return varyingNumbers.includes(name) ? 'a number' : value;
  if (typeof value !== 'string') return value;
  return varying.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), value);
}

const varyingNumbers = ['created_at', 'completion_time'];
const varying: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>'],
  [/(?<=\/l\/)[0-9A-Za-z]{32}|^[0-9A-Za-z]{32}$/g, '<link>'],
  [/[0-9a-f]{32,}/g, '<hex>'],
  [/access_(key|secret)_\w+/g, '<access $1>'],
  [/\b(o|acc|user|dlv|evt|pay|order|rfnd|disp|card|cust)_[0-9A-Za-z]{10,}/g, '<$1>'],
  [/SESSION\w+/g, '<session>'],
  [/\d{6,}/g, '<digits>'],
  // The simulator draws the kind of card.
  [/\b(Credit|Debit) Card\b|^(CREDIT|DEBIT)$/g, '<card>'],
];
