/** The shop: where the service sends its events, the page that shows them, and its part of the control API. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../html.ts';
import { invalidInput, object, text, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { type Answer, answerNames, answerTo, isAnswerName } from './answers.ts';
import type { SignedRequest } from './check-event.ts';
import { cleanWord } from './event-content.ts';
import type { ReceivedEvent, ShopInbox, StoredEvent } from './inbox.ts';
import { shopPage } from './page.ts';

export const eventsPath = '/shop/events';

const bodyBytesMax = 256 * 1024;
/** Connections that wait for an answer which never comes. */
const hungMax = 100;

export function addShop(app: FastifyInstance, world: World, inbox: ShopInbox): void {
  app.register(async (scope) => addReceiver(scope, world, inbox));
  // Another start of the simulator counts its versions from the beginning, too.
  const start = randomBytes(8).toString('hex');

  app.get('/shop', async (request, reply) => {
    const tag = `"${start}-${inbox.version()}"`;
    reply.header('etag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    const nonce = randomBytes(16).toString('base64');
    const view = { url: `${app.listeningOrigin}${eventsPath}`, nonce, ...stateOf(inbox) };
    return reply.headers(headersOf(nonce)).send(shopPage({ ...view, events: inbox.events() }));
  });

  app.get('/simulator/shop', async () => ({
    ...stateOf(inbox),
    events: inbox.events().map(eventView),
  }));

  app.post('/simulator/shop', async (request, reply) => {
    await changeShop(inbox, object(request.body));
    const state = stateOf(inbox);
    world.log(`shop: answers ${state.answer}, knows ${state.secrets} secrets`);
    const isForm = request.headers['content-type']?.includes('form') ?? false;
    return isForm ? reply.redirect('/shop', 303) : state;
  });
}

function addReceiver(scope: FastifyInstance, world: World, inbox: ShopInbox): void {
  const hung = new Set<FastifyReply>();
  // Signatures are made over the bytes, whatever their type.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  scope.post(eventsPath, { bodyLimit: bodyBytesMax }, async (request, reply) => {
    const name = inbox.answer();
    let answer: Answer = answerTo(name, false);
    const event = await inbox.receive(readRequest(request), ({ kind }) => {
      answer = answerTo(name, kind === 'not verified');
      return answer.status === undefined ? 'no answer' : String(answer.status);
    });
    world.log(`shop: ${eventLabel(event)} → ${event.answer}`);
    if (answer.status === undefined) return hang(reply);
    return reply
      .code(answer.status)
      .headers({ ...answer.headers })
      .send({ answer: answer.label });
  });

  /** The sender gives up. The oldest connection is closed if there are too many. */
  function hang(reply: FastifyReply): FastifyReply {
    const [oldest] = hung;
    if (oldest && hung.size >= hungMax) oldest.raw.destroy();
    hung.add(reply);
    reply.raw.once('close', () => hung.delete(reply));
    return reply.hijack();
  }
}

function readRequest({ headers, body }: FastifyRequest): SignedRequest {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = names.flatMap((name) => {
    const value = text(headers[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    headers: Object.fromEntries(signed),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}

/** All or nothing: the answer is changed after the secret was found to be one. */
async function changeShop(inbox: ShopInbox, { answer, secret }: Wire): Promise<void> {
  if (answer === undefined && secret === undefined)
    throw invalidInput('Give answer, secret or both.');
  if (answer !== undefined && !isAnswerName(answer)) {
    throw invalidInput(`answer must be one of: ${answerNames().join(', ')}.`);
  }
  if (secret !== undefined && !(await inbox.trust(text(secret) ?? ''))) {
    throw invalidInput(
      'secret must be one that endpoint create printed (whsec_…), or an access secret.',
    );
  }
  if (answer !== undefined) inbox.setAnswer(answer);
}

function stateOf(inbox: ShopInbox) {
  const { endpoints, accounts } = inbox.secrets();
  return { answer: inbox.answer(), secrets: endpoints.length + accounts.length };
}

function eventView({ id, attempts, receivedAt, verdict, content, ...event }: StoredEvent) {
  const receivedTime = new Date(receivedAt).toISOString();
  const { isChanged, answer } = event;
  return { id, ...content, attempts, receivedAt: receivedTime, verdict, isChanged, answer };
}

function eventLabel({ id = 'without an id', content, attempts, verdict }: ReceivedEvent): string {
  return `${content.type ?? 'event'} ${cleanWord(id)}, attempt ${attempts}, ${verdict.kind}`;
}

function headersOf(nonce: string): Record<string, string> {
  const policy = [
    pageHeaders['content-security-policy'],
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return { ...pageHeaders, 'content-security-policy': policy.join('; ') };
}
