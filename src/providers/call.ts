/**
 * One HTTP call to a provider's API: bounded in time and number, tried again only where that is safe, and
 * not made at all while the provider is known to be down. Says what came of it, and never guesses.
 */
import {
  type BulkheadPolicy,
  bulkhead,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  retry,
} from 'cockatiel';
import type { ProviderValues } from '../domain/accounts/account.ts';
import { limits } from '../domain/limits.ts';
import { jsonObject, type WireObject } from './wire.ts';

/** How an account reaches a provider. */
export type ProviderApi = {
  readonly url: string;
  readonly login: string;
  readonly secret: string;
  /** The account's plain settings for this provider. */
  readonly settings: ProviderValues;
  readonly call: CallProvider;
};

export type ProviderRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly user: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Sending it twice has the effect of once, so it may be sent again when nobody knows. */
  readonly isRepeatable: boolean;
};

export type CallMeta = { readonly durationMs: number; readonly tries: number };

export type Answer = CallMeta &
  (
    | { readonly kind: 'answered'; readonly status: number; readonly body: WireObject }
    /** It may have taken effect and may not. */
    | { readonly kind: 'unknown'; readonly status: number | null; readonly why: string }
    /** It never left, or never reached anybody: it took no effect. */
    | { readonly kind: 'not-sent'; readonly why: string }
  );

export type CallProvider = (
  api: Pick<ProviderApi, 'url' | 'secret'>,
  request: ProviderRequest,
) => Promise<Answer>;

type Guards = { readonly breaker: CircuitBreakerPolicy; readonly slots: BulkheadPolicy };

/** One for a process: it remembers which providers are down, and how many calls are under way. */
export function createProviderCaller(): CallProvider {
  const guards = new Map<string, Guards>();
  return async (api, request) => {
    // One merchant's trouble with a provider is not another's.
    const place = `${request.user}@${new URL(api.url).origin}`;
    const known = guards.get(place) ?? createGuards();
    guards.set(place, known);
    return callGuarded(known, api, request);
  };
}

function createGuards(): Guards {
  return {
    breaker: circuitBreaker(handleWhen(isDown), {
      breaker: new ConsecutiveBreaker(limits.providerFailuresMax),
      halfOpenAfter: limits.providerPauseMs,
    }),
    slots: bulkhead(limits.providerCallsMax, limits.providerCallsMax),
  };
}

async function callGuarded(
  { breaker, slots }: Guards,
  api: Pick<ProviderApi, 'url' | 'secret'>,
  request: ProviderRequest,
): Promise<Answer> {
  const startedAt = performance.now();
  let tries = 0;
  /** A try that may have taken effect: no later one can say that it did not. */
  let open: CallError | undefined;
  const meta = () => ({ durationMs: Math.round(performance.now() - startedAt), tries });
  const unknown = ({ status, message }: CallError) =>
    ({ kind: 'unknown', status, why: message, ...meta() }) as const;
  const again = retry(
    handleWhen((error) => mayTryAgain(error, request)),
    { maxAttempts: limits.providerTriesMax - 1, backoff: new ExponentialBackoff(backoff) },
  );
  // All tries together: somebody may be waiting for the answer.
  const deadline = AbortSignal.timeout(limits.providerAnswerMsMax);
  const callNoting = async () => {
    if (deadline.aborted)
      throw new CallError('there was no time left for the call', false, null, true);
    tries += 1;
    return callOnce(api, request, deadline).catch((error: unknown) => {
      if (error instanceof CallError && error.wasSent) open = error;
      throw error;
    });
  };
  try {
    const answer = await slots.execute(() => again.execute(() => breaker.execute(callNoting)));
    const isDoubtful = request.method !== 'GET' && answer.status >= 400;
    return open && isDoubtful ? unknown(open) : { kind: 'answered', ...answer, ...meta() };
  } catch (error) {
    return open ? unknown(open) : { kind: 'not-sent', why: explain(error), ...meta() };
  }
}

const backoff = { initialDelay: 100, maxDelay: 1_000 };

/** The call itself came to nothing we can build on. */
class CallError extends Error {
  readonly wasSent: boolean;
  readonly status: number | null;

  /** The time for all tries is over. */
  readonly isLate: boolean;

  constructor(message: string, wasSent: boolean, status: number | null = null, isLate = false) {
    super(message);
    this.wasSent = wasSent;
    this.status = status;
    this.isLate = isLate;
  }
}

/** One that is busy, or still at the first copy of a call, is not down. */
function isDown(error: unknown): boolean {
  if (!(error instanceof CallError)) return true;
  const wasMade = error.wasSent || !error.isLate;
  return wasMade && (error.status === null || error.status >= 500);
}

/** A provider that was given up on is left alone; what took no effect may always be sent again. */
function mayTryAgain(error: unknown, { isRepeatable }: ProviderRequest): boolean {
  return error instanceof CallError && !error.isLate && (isRepeatable || !error.wasSent);
}

function explain(error: unknown): string {
  if (isBrokenCircuitError(error)) return 'the provider did not answer before and is given a pause';
  if (isBulkheadRejectedError(error)) return 'too many calls to the provider are under way';
  return error instanceof CallError ? error.message : 'the call could not be made';
}

async function callOnce(
  { url, secret }: Pick<ProviderApi, 'url' | 'secret'>,
  { method, path, user, headers, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: WireObject }> {
  const credentials = Buffer.from(`${user}:${secret}`, 'utf8').toString('base64');
  let response: Response;
  try {
    response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
      method,
      headers: {
        authorization: `Basic ${credentials}`,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
      redirect: 'manual',
      signal,
    });
    return readAnswer(response.status, await readBytes(response));
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw troubleOf(error);
  }
}

/** Undecided: the provider is overloaded, broken, or still at the first copy of the same call. */
const undecidedStatuses = new Set([408, 409, 425, 429]);

function readAnswer(status: number, bytes: Buffer) {
  if (status >= 500 || undecidedStatuses.has(status)) {
    throw new CallError(`the provider answered with HTTP status ${status}`, true, status);
  }
  const body = jsonObject(bytes);
  // An answer in another tongue comes from something in between; it says nothing of the call.
  if (!body) throw new CallError('the provider answered without a JSON object', true, status);
  return { status, body };
}

async function readBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > limits.providerAnswerBytesMax) {
      throw new CallError('the answer of the provider is too large', true, response.status);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT)/;

function troubleOf(error: unknown): CallError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new CallError('the provider did not answer in time', true, null, true);
  }
  const cause = (error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }).cause;
  const code = String(cause?.code ?? cause?.errors?.[0]?.code ?? '');
  return neverConnected.test(code)
    ? new CallError('the provider cannot be reached', false)
    : new CallError('the connection to the provider broke', true);
}
