/** Sends many concurrent requests and checks every reply. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ErrorCode, errorTable } from '../../src/domain/errors.ts';
import {
  describeRequest,
  type FuzzConnection,
  type FuzzReply,
  type FuzzRequest,
  openFuzzConnection,
} from './fuzz-client.ts';

/** The number of requests of all fuzz tests together. Set it higher for a long run. */
export const fuzzCases = Number(process.env.FUZZ_CASES ?? 10_000);
/** Set FUZZ_SEED to a printed seed to send the same requests again. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
console.log(`fuzz: ${fuzzCases} requests in all, seed ${seed} (FUZZ_CASES, FUZZ_SEED)`);

const batchSize = 50;

export type Exchange = { readonly request: FuzzRequest; readonly reply: FuzzReply };

export type FuzzOptions = {
  readonly baseUrl: string;
  readonly cases: number;
  readonly requests: fc.Arbitrary<FuzzRequest>;
  /** Texts that must never be in a reply or in the log. */
  readonly secrets: readonly string[];
  /** Opens a sealed reply. */
  readonly unseal?: (text: string) => string;
  /** Called with every reply that passed the checks. */
  readonly onReply?: (exchange: Exchange) => void;
};

export type FuzzTally = {
  readonly cases: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Some refused requests of each kind, to be sent again. */
  readonly refused: readonly FuzzRequest[];
};

export async function fuzz(options: FuzzOptions): Promise<FuzzTally> {
  const connections = Array.from({ length: batchSize }, () => openFuzzConnection(options.baseUrl));
  const statuses: Record<string, number> = {};
  const refused = new Map<string, FuzzRequest[]>();
  let cases = 0;
  const note = ({ request, reply }: Exchange) => {
    cases += 1;
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    if (reply.status < 400) return;
    const kind = `${request.method} ${request.target.split('?')[0]} ${reply.status}`;
    const alike = refused.get(kind) ?? [];
    if (alike.length < 3) refused.set(kind, [...alike, request]);
  };
  const batches = fc.array(options.requests, { minLength: batchSize, maxLength: batchSize });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      await Promise.all(
        batch.map(async (request, index) => {
          const exchange = await exchangeOn(connections[index], request, options);
          note(exchange);
          options.onReply?.(exchange);
        }),
      );
    }),
    {
      seed,
      numRuns: Math.ceil(options.cases / batchSize),
      // The message contains the failing request, so shrinking the batch would add nothing.
      endOnFailure: true,
      reporter: ({ failed, errorInstance, numRuns }) => {
        if (!failed) return;
        const { message = '' } = (errorInstance ?? {}) as Error;
        throw new Error(`FUZZ_SEED=${seed}, batch ${numRuns}: ${message}`, {
          cause: errorInstance,
        });
      },
    },
  );
  for (const connection of connections) connection.close();
  return { cases, statuses, refused: [...refused.values()].flat().slice(0, 600) };
}

async function exchangeOn(
  connection: FuzzConnection | undefined,
  request: FuzzRequest,
  options: Pick<FuzzOptions, 'secrets' | 'unseal'>,
): Promise<Exchange> {
  let reply: FuzzReply | undefined;
  try {
    reply = await connection?.send(request);
    // The service may close the connection while it still receives a body over the limit.
    if (!reply && (request.body?.length ?? 0) > bodyBytesMaxOf(request)) {
      return { request, reply: { status: 413, headers: new Map(), text: '' } };
    }
    assert.ok(reply, 'the connection was closed without a reply');
    assertSound(request, reply, options);
  } catch (error) {
    const received = reply ? `${reply.status} ${reply.text.slice(0, 1_000)}` : 'no reply';
    throw new Error(`${(error as Error).message}\n${describeRequest(request)}\n→ ${received}`);
  }
  return { request, reply };
}

function bodyBytesMaxOf({ target }: FuzzRequest): number {
  return /(generate|refresh)-token/.test(target) ? 8 * 1024 : 256 * 1024;
}

/** Checks that hold for the reply to any request. */
export function assertSound(
  request: FuzzRequest,
  reply: FuzzReply,
  { secrets, unseal = (text) => text }: Pick<FuzzOptions, 'secrets' | 'unseal'>,
): void {
  const { status, headers } = reply;
  assert.ok(status >= 200 && status < 500, `the status is ${status}`);
  assert.match(headers.get('x-request-id') ?? '', /^[\w.-]{1,64}$/, 'no harmless x-request-id');
  assert.equal(headers.get('x-evil'), undefined, 'a header was injected');
  const text = unseal(reply.text);
  for (const secret of secrets) assert.ok(!text.includes(secret), `the reply contains ${secret}`);
  if (request.method === 'HEAD') return;
  if (status >= 400) assertRefusal(request, reply, text);
  // A request may happen to ask for a compressed document.
  else if (headers.get('content-type')?.includes('json') && !headers.has('content-encoding')) {
    assert.equal(JSON.parse(text).error, undefined, 'a good reply has an error');
  }
}

/** Words that reveal internals: the language, the database, the file system. */
const internals =
  /\bat \S+ \(|node:|node_modules|file:\/\/|\.[cm]?[jt]s:\d|\/work\/|\/src\/|(Type|Syntax|Range|Reference)Error|Unexpected token|undefined|\[object|\bselect\b|\binsert into\b|violates|\brelation\b|\bcolumn\b|postgres|\bpg_|ECONN|EPIPE|FST_ERR|HPE_/i;

function assertRefusal(request: FuzzRequest, reply: FuzzReply, text: string): void {
  const type = reply.headers.get('content-type') ?? '';
  const isPage = /^\/(?:pay|checkout|l)\b/.test(request.target) && type.startsWith('text/html');
  // The style and the script of a page contain such words, and are the same in every reply.
  const shown = isPage ? text.replaceAll(/<(style|script)\b[\s\S]*?<\/\1>/g, '') : text;
  assert.doesNotMatch(withoutSent(shown, request), internals);
  if (isPage) return;
  assert.match(type, /^application\/json/);
  const body = JSON.parse(text);
  if (request.target.startsWith('/api/v3/webhooks/') && !isBeforeRouting(body)) {
    assertWebhookShape(body, reply.status);
  } else assertErrorShape(body, reply.status);
}

/** True for an unknown path or an unparsable request: no scope has shaped the reply. */
function isBeforeRouting(body: {
  error?: { svc_error_code?: string; svc_merchant_message?: string };
}) {
  const { svc_error_code: code, svc_merchant_message: message = '' } = body.error ?? {};
  return code === 'NOT_FOUND' || (code !== undefined && /HTTP\/1\.1|headers are too/.test(message));
}

function assertErrorShape(body: { error: Record<string, unknown> }, status: number): void {
  const code = body.error?.svc_error_code as ErrorCode;
  const entry = errorTable[code];
  assert.ok(Object.hasOwn(errorTable, code), `${code} is not a known error code`);
  const { svc_merchant_message: message } = body.error;
  assert.ok(typeof message === 'string' && message.trim() !== '', 'no message for the merchant');
  assert.deepEqual(body, {
    error: {
      svc_error_code: code,
      svc_consumer_message: entry.consumerMessage,
      svc_merchant_message: message,
      message,
    },
  });
  assert.equal(status, entry.status, `${code} with another status`);
}

function assertWebhookShape(body: { message: unknown }, status: number): void {
  const { message } = body;
  assert.ok(typeof message === 'string' && message.trim() !== '', 'no message');
  assert.deepEqual(body, {
    status,
    message,
    error: { http_status_code: status, transaction_status: 'not_processed', message },
  });
}

/** Removes quoted words of the request, because a refusal may name the field that was sent. */
function withoutSent(text: string, { target, body }: FuzzRequest): string {
  const sent = `${target} ${body?.toString('utf8') ?? ''}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) =>
    quoted.replaceAll(/[\w.:/]{6,}/g, (word) => (sent.includes(word) ? '' : word)),
  );
}
