/** Sends each of some requests once, over a number of connections, at a given rate or as fast as they are answered. */
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from '../harness/send.ts';

export type Sending = {
  readonly requests: readonly Request[];
  readonly connections: number;
  /** Without it each connection sends its next request when the last is answered. */
  readonly perSecond?: number;
  /** What is not sent by then is not sent at all. */
  readonly secondsMax: number;
};

const answerMsMax = 30_000;

export async function sendEach(
  url: string,
  { requests, connections, perSecond = Infinity, secondsMax }: Sending,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** How many were answered with each status: that of the body if it has one, else that of HTTP. */
  const answers = new Map<string, number>();
  /** Not answered 2xx, or not sent in time. */
  const failed: Request[] = [];
  const startMs = performance.now();
  const secondsSinceStart = () => (performance.now() - startMs) / 1_000;
  let next = 0;
  const sendInTurn = async () => {
    for (let at = next++; at < requests.length; at = next++) {
      const waitSeconds = at / perSecond - secondsSinceStart();
      if (waitSeconds > 0) await delay(waitSeconds * 1_000);
      const request = requests[at];
      if (!request) return;
      const { isOk, status } =
        secondsSinceStart() > secondsMax ? notSent : await send(url, agent, request);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (!isOk) failed.push(request);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, sendInTurn));
  } finally {
    agent.destroy();
  }
  return { seconds: secondsSinceStart(), answers, failed };
}

type Answer = { readonly isOk: boolean; readonly status: string };

const notSent: Answer = { isOk: false, status: 'not sent' };
const noAnswer: Answer = { isOk: false, status: 'no answer' };

function send(url: string, agent: Agent, { path, headers, body }: Request): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const fail = () => resolve(noAnswer);
    const options = { hostname, port, path, agent, method: 'POST', timeout: answerMsMax };
    const sent = httpRequest({ ...options, headers: { ...headers } }, (response) => {
      const { statusCode = 0 } = response;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const isOk = statusCode >= 200 && statusCode < 300;
        resolve({ isOk, status: statusOf(text) ?? String(statusCode) });
      });
      response.on('error', fail);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', fail);
    // A request that is destroyed without an error ends here; after an answer this changes nothing.
    sent.on('close', fail);
    sent.end(body);
  });
}

/** Answers to webhooks say in `status` what became of the delivery. */
function statusOf(text: string): string | undefined {
  return /^\{"status":"(\w+)"/.exec(text)?.[1];
}
