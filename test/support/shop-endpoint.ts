/** A shop's endpoint: a real HTTP server that records events and answers as the test wants. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { after } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { createEndpoint } from '../../src/use-cases/events/endpoints.ts';
import { startLocalServer } from '../../tools/harness/local-server.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import type { TestService } from './test-service.ts';

export type ReceivedEvent = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are asserted field by field
  readonly body: any;
};

/** Answers by itself. Nothing is answered if it does not end the reply. */
export type AnswerEvent = (reply: ServerResponse, event: ReceivedEvent) => void;

export const accept: AnswerEvent = (reply) => {
  reply.end('ok');
};

export const answerStatus =
  (status: number, headers: Record<string, string> = {}): AnswerEvent =>
  (reply) => {
    reply.writeHead(status, headers).end(`status ${status}`);
  };

/** Answers nothing until the test says so. */
export function holdAnswers() {
  const replies: ServerResponse[] = [];
  return {
    answer: (reply: ServerResponse) => {
      replies.push(reply);
    },
    count: () => replies.length,
    /** Answers those that are held, the oldest first; all of them unless told. */
    release: (status = 200, count = replies.length) => {
      for (const reply of replies.splice(0, count)) reply.writeHead(status).end();
    },
  };
}

export type ShopEndpoint = {
  readonly url: string;
  readonly received: readonly ReceivedEvent[];
  /** The highest number of events that were in progress at the same time. */
  readonly concurrentMax: () => number;
  /** How the next events are answered. */
  answer: AnswerEvent;
  /** Resolves when this many events have arrived. */
  readonly waitFor: (count: number) => Promise<void>;
  readonly clear: () => void;
  readonly close: () => Promise<void>;
};

export async function startShopEndpoint(): Promise<ShopEndpoint> {
  const received: ReceivedEvent[] = [];
  let concurrent = 0;
  let concurrentMax = 0;
  const { url, close } = await startLocalServer(async (request, reply) => {
    concurrent += 1;
    concurrentMax = Math.max(concurrent, concurrentMax);
    reply.on('close', () => {
      concurrent -= 1;
    });
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const event = { headers: request.headers, text, body: JSON.parse(text) };
    received.push(event);
    shop.answer(reply, event);
  });
  after(close);
  const shop: ShopEndpoint = {
    url: `${url}/events`,
    received,
    concurrentMax: () => concurrentMax,
    answer: accept,
    waitFor: (count) => waitUntil(`the shop has ${count} events`, () => received.length >= count),
    clear: () => {
      received.length = 0;
    },
    close,
  };
  return shop;
}

/** Creates an endpoint that the service of the test uses from now on. */
export async function addEndpoint(
  { services }: Pick<TestService, 'services'>,
  accountId: string,
  url: string,
  events: readonly string[] = [],
) {
  const endpoint = await createEndpoint(services, accountId, { url, events }, commandLine);
  await services.accounts.readAgain(accountId);
  return endpoint;
}
