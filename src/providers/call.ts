/**
 * One HTTP call to a provider's API, with a deadline, a concurrency limit and a circuit breaker. It is retried
 * only where that is safe, and its outcome is reported without guessing: answered, unknown or not sent.
 */
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  retry,
} from 'cockatiel';
import type { ProviderValues } from '../domain/accounts/account.ts';
import { paymentLimits } from '../domain/payments/limits.ts';
import { RefusedAddressError } from '../security/checked-address.ts';
import { jsonObject, object, text, type WireObject } from './wire.ts';

export type ProviderApi = {
  readonly url: string;
  readonly login: string;
  readonly secret: string;
  readonly settings: ProviderValues;
  readonly callProvider: CallProvider;
};

export type ProviderRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly user: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Idempotent at the provider, so it may be retried even if its outcome is unknown. */
  readonly isRepeatable: boolean;
  /** For a call that follows another one: what is left of the time that a caller waits. */
  readonly answerMsMax?: number;
};

export type Answer = { readonly durationMs: number; readonly tries: number } & (
  | { readonly kind: 'answered'; readonly status: number; readonly body: WireObject }
  /** It may or may not have taken effect. */
  | { readonly kind: 'unknown'; readonly status: number | null; readonly why: string }
  /** It never reached the provider, or was answered with a rate limit until the end, so it took no effect. */
  | { readonly kind: 'not-sent'; readonly why: string }
);

export type CallProvider = (
  api: Pick<ProviderApi, 'url' | 'secret'>,
  request: ProviderRequest,
) => Promise<Answer>;

export type HttpAnswer = { readonly status: number; readonly body: AsyncIterable<Uint8Array> };

export type HttpRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
};

/** Rejects if there is no answer: with a `NotConnectedError` if nothing was sent. It never follows a redirect. */
export type SendToProvider = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** There was no connection to the provider, so it got nothing of the request. */
export class NotConnectedError extends Error {}

/** One per process: it holds the circuit breakers and counts the calls in progress. */
export function createProviderCaller(send: SendToProvider): CallProvider {
  const guards = new Map<string, ReturnType<typeof createGuards>>();
  return async (api, request) => {
    // One merchant's failures at a provider must not affect another merchant.
    const key = `${request.user}@${new URL(api.url).origin}`;
    const known = guards.get(key) ?? createGuards();
    guards.set(key, known);
    return callGuarded(send, known, api, request);
  };
}

function createGuards() {
  return {
    breaker: circuitBreaker(handleWhen(isDown), {
      breaker: new ConsecutiveBreaker(paymentLimits.providerFailuresMax),
      halfOpenAfter: paymentLimits.providerPauseMs,
    }),
    slots: bulkhead(paymentLimits.providerCallsMax, paymentLimits.providerCallsMax),
  };
}

async function callGuarded(
  send: SendToProvider,
  { breaker, slots }: ReturnType<typeof createGuards>,
  api: Pick<ProviderApi, 'url' | 'secret'>,
  request: ProviderRequest,
): Promise<Answer> {
  const startedAt = performance.now();
  let tries = 0;
  /** A try that may have taken effect. A later try cannot prove that it did not. */
  let uncertain: CallError | undefined;
  const meta = () => ({ durationMs: Math.round(performance.now() - startedAt), tries });
  const unknown = ({ status, message }: CallError) =>
    ({ kind: 'unknown', status, why: message, ...meta() }) as const;
  const retries = retry(
    handleWhen((error) => mayTryAgain(error, request)),
    { maxAttempts: paymentLimits.providerTriesMax - 1, backoff: new ExponentialBackoff(backoff) },
  );
  // One deadline for all tries, because a caller may be waiting for the answer.
  const { answerMsMax = paymentLimits.providerAnswerMsMax } = request;
  const deadline = AbortSignal.timeout(Math.max(0, answerMsMax));
  const callAndRecord = async () => {
    if (deadline.aborted) {
      const fields = { wasSent: false, isLate: true, wasTried: false };
      throw new CallError('there was no time left for the call', fields);
    }
    tries += 1;
    return callOnce(send, api, request, deadline).catch((error: unknown) => {
      if (error instanceof CallError && error.wasSent) uncertain = error;
      throw error;
    });
  };
  try {
    const answer = await slots.execute(() => retries.execute(() => breaker.execute(callAndRecord)));
    // A refused repeat says nothing of the first try.
    const isRefusal = request.method !== 'GET' && answer.status >= 400;
    return uncertain && isRefusal ? unknown(uncertain) : { kind: 'answered', ...answer, ...meta() };
  } catch (error) {
    return uncertain ? unknown(uncertain) : { kind: 'not-sent', why: explain(error), ...meta() };
  }
}

const backoff = { initialDelay: 100, maxDelay: 1_000 };

/** A provider that is busy, or still processing an earlier copy of the call, is not down. */
function isDown(error: unknown): boolean {
  if (!(error instanceof CallError)) return true;
  return error.wasTried && (error.status === null || error.status >= 500);
}

/** A call that took no effect may always be retried. An open circuit breaker is not retried. */
function mayTryAgain(error: unknown, { isRepeatable }: ProviderRequest): boolean {
  return error instanceof CallError && !error.isLate && (isRepeatable || !error.wasSent);
}

function explain(error: unknown): string {
  if (isBrokenCircuitError(error))
    return 'calls to the provider are paused after consecutive failures';
  if (isBulkheadRejectedError(error)) return 'too many calls to the provider are in progress';
  return error instanceof CallError ? error.message : 'the call could not be made';
}

async function callOnce(
  send: SendToProvider,
  { url, secret }: Pick<ProviderApi, 'url' | 'secret'>,
  { method, path, user, headers, body: content }: ProviderRequest,
  signal: AbortSignal,
) {
  const credentials = Buffer.from(`${user}:${secret}`, 'utf8').toString('base64');
  const body = content ? JSON.stringify(content) : null;
  try {
    const answer = await send(`${url.replace(/\/$/, '')}${path}`, {
      method,
      headers: {
        authorization: `Basic ${credentials}`,
        accept: 'application/json',
        ...(body !== null && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
      body,
      signal,
    });
    return await readAnswer(answer);
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw toCallError(error, signal);
  }
}

function toCallError(error: unknown, signal: AbortSignal): CallError {
  if (error instanceof RefusedAddressError) {
    const why = 'the address of the provider is in a network that is not allowed';
    return new CallError(why, { wasSent: false });
  }
  const wasSent = !(error instanceof NotConnectedError);
  if (signal.aborted) {
    return new CallError('the provider did not answer in time', { wasSent, isLate: true });
  }
  const why = wasSent ? 'the connection to the provider broke' : 'the provider cannot be reached';
  return new CallError(why, { wasSent });
}

class CallError extends Error {
  /** It may have taken effect. */
  readonly wasSent: boolean;
  readonly status: number | null = null;
  /** The deadline of all tries has passed. */
  readonly isLate: boolean = false;
  /** False if the provider was not even called. */
  readonly wasTried: boolean = true;

  constructor(message: string, fields: Pick<CallError, 'wasSent'> & Partial<CallError>) {
    super(message);
    this.wasSent = fields.wasSent;
    Object.assign(this, fields);
  }
}

/** These do not say whether the call took effect: overload, or an earlier copy that is still in progress. */
const undecidedStatuses = new Set([408, 409, 425]);

async function readAnswer(answer: HttpAnswer) {
  const { status } = answer;
  const bytes = await readBytes(answer);
  if (status >= 500 || undecidedStatuses.has(status)) {
    const fields = { wasSent: true, status };
    throw new CallError(`the provider answered with HTTP status ${status}`, fields);
  }
  const body = jsonObject(bytes);
  // A rate limit means "later": the provider has not looked at the call.
  if (status === 429 || (status === 400 && body && saysTooMany(body))) {
    throw new CallError('the provider limits the rate of calls', { wasSent: false, status });
  }
  // An answer that is not JSON comes from a proxy in between and says nothing about the call.
  if (!body) {
    throw new CallError('the provider answered without a JSON object', { wasSent: true, status });
  }
  return { status, body };
}

/** The partner also says it with status 400. */
function saysTooMany(body: WireObject): boolean {
  const { code, description } = object(body.error);
  const words = text(description) ?? '';
  return text(code) === 'RATE_LIMIT_EXCEEDED' || /too many requests/i.test(words);
}

async function readBytes({ status, body }: HttpAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > paymentLimits.providerAnswerBytesMax) {
      throw new CallError('the answer of the provider is too large', { wasSent: true, status });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
