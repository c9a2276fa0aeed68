/** One attempt of one webhook over HTTP, complete or cut off in the middle. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

type Attempt = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answerWithinMs: number;
};

/** The status of the reply, or why there is none. */
export type Answer = number | string;

export const isAcknowledged = (answer: Answer): boolean =>
  typeof answer === 'number' && answer >= 200 && answer < 300;

export async function sendWhole(attempt: Attempt, stop: AbortSignal): Promise<Answer> {
  const { url, headers, body, answerWithinMs } = attempt;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(answerWithinMs)]);
  try {
    // Providers do not follow redirects: a redirect is not an acknowledgement.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'manual',
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    stop.throwIfAborted();
    return signal.aborted ? `no answer within ${answerWithinMs} ms` : reasonOf(error);
  }
}

/** Announces the full content length, sends half of the body, and closes the connection. */
export function sendCutOff(attempt: Attempt, stop: AbortSignal): Promise<Answer> {
  const { url, headers, body, answerWithinMs } = attempt;
  const bytes = Buffer.from(body);
  const open = url.startsWith('https:') ? requestHttps : requestHttp;
  const length = { 'content-length': String(bytes.length) };
  const request = open(url, {
    method: 'POST',
    headers: { ...headers, ...length },
    agent: false,
    signal: stop,
    timeout: answerWithinMs,
  });
  request.write(bytes.subarray(0, bytes.length / 2), () => request.destroy());
  return new Promise((resolve, reject) => {
    request.on('error', () => undefined);
    request.on('timeout', () => request.destroy());
    request.on('close', () => {
      if (stop.aborted) reject(stop.reason);
      else resolve('cut off');
    });
  });
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? String(error);
}
