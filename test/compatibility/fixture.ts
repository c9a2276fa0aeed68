/** What a client sends and which parts of the answers it reads, written down from its public behaviour. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestSettings } from '../support/test-account.ts';

type Json = Readonly<Record<string, unknown>>;

/** Texts may contain names in braces, such as `{order_id}`: values that were kept, and those of the account. */
export type Step = {
  /** The first cell of its row in docs/compatibility.md. A step without one prepares the next. */
  readonly row?: string;
  readonly outcome?: 'works' | 'differs';
  readonly call?: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** Encrypts the body. */
    readonly seals?: true;
  };
  /** A page that the consumer's browser is sent to; it may redirect to a `location`. */
  readonly visits?: string;
  /** A page that is loaded into a frame of the shop's page. The answer is the message that the frame posts at its end. */
  readonly frames?: string;
  /** A consumer pays the order `{order_id}` by UPI; these fields are sent with it. Keeps `transaction_id`. */
  readonly pays?: Json;
  /** The event of this type about the order. */
  readonly event?: string;
  /** What the consumer of `{transaction_id}` brings back to the shop. */
  readonly returns?: true;
  /** Opens what was encrypted. */
  readonly opens?: true;
  readonly status?: number;
  /** Of the answer, by their paths. A text that begins with ^ is a pattern. Null: the client looks for it in vain. */
  readonly reads?: Json;
  /** The HMAC-SHA256 under the access secret of these values, joined by |. Numbers have two decimals. */
  readonly signature?: { readonly at: string; readonly of: readonly string[] };
  /** Names of values of the answer for later steps. */
  readonly keeps?: Readonly<Record<string, string>>;
};

export type Fixture = {
  /** The heading in docs/compatibility.md. */
  readonly client: string;
  readonly account?: TestSettings;
  readonly steps: readonly Step[];
};

export function readFixtures(): Fixture[] {
  const folder = new URL('./clients/', import.meta.url).pathname;
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(`${folder}${basename(file)}`, 'utf8')));
}
