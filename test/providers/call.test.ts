import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, beforeEach, describe, mock, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import {
  type Answer,
  type CallProvider,
  createProviderCaller,
  type ProviderRequest,
} from '../../src/providers/call.ts';
import { allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import { createProviderSender } from '../../src/services/provider-sender.ts';

type Reply = (request: IncomingMessage, response: ServerResponse) => unknown;

const secret = 'provider_secret_of_the_shop';
const received: {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}[] = [];
/** One for each call; the last one answers all further calls. */
let replies: Reply[] = [];
let call: CallProvider;

const server = createServer(async (request, response) => {
  let body = '';
  request.on('error', () => undefined);
  for await (const chunk of request) body += chunk;
  const { method = '', url = '', headers } = request;
  received.push({ method, url, headers, body });
  const reply = replies.length > 1 ? replies.shift() : replies[0];
  await reply?.(request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  received.length = 0;
  replies = [json(200, { id: 'order_1' })];
  call = createProviderCaller(createProviderSender(allowedNetworksOf([], { loopback: false }), []));
});

const unrepeatable: ProviderRequest = {
  method: 'POST',
  path: '/v1/orders?x=%20',
  user: 'key_1',
  headers: { 'x-refund-idempotency': 'T' },
  body: { amount: 11_800 },
  isRepeatable: false,
};
const repeatable: ProviderRequest = { ...unrepeatable, isRepeatable: true };

describe('a rate limit', () => {
  const busy = { error: { code: 'BAD_REQUEST_ERROR', description: 'Too many requests' } };
  const forms: ReadonlyArray<readonly [string, Reply]> = [
    ['as 429', json(429, {})],
    ['as 429 without JSON', raw(429, 'slow down')],
    ['as 400 in words', json(400, busy)],
    ['as 400 with a code', json(400, { error: { code: 'RATE_LIMIT_EXCEEDED' } })],
  ];
  for (const [name, limit] of forms) {
    test(`${name} took no effect, so the call is made again`, async () => {
      replies = [limit, limit, json(200, { id: 'order_1' })];
      const answer = await send(unrepeatable);
      assert.deepEqual([answer.kind, answer.tries], ['answered', 3]);
    });

    test(`${name} that stays is not a refusal`, async () => {
      replies = [limit];
      const answer = await send(unrepeatable);
      assert.equal(answer.kind, 'not-sent');
      assert.match(answer.kind === 'not-sent' ? answer.why : '', /limits the rate/);
    });
  }

  test('after a try without an answer leaves the call unknown', async () => {
    replies = [json(503, {}), json(429, {})];
    assert.equal((await send(repeatable)).kind, 'unknown');
  });
});

describe('a call that is answered', () => {
  test('was made once, with its credentials and its body', async () => {
    const answer = await send(unrepeatable);
    assert.deepEqual(withoutTime(answer), {
      kind: 'answered',
      status: 200,
      body: { id: 'order_1' },
      tries: 1,
    });
    assert.ok(answer.durationMs >= 0);
    const [got] = received;
    assert.equal(received.length, 1);
    assert.equal(`${got?.method} ${got?.url}`, 'POST /v1/orders?x=%20');
    assert.equal(
      got?.headers.authorization,
      `Basic ${Buffer.from(`key_1:${secret}`).toString('base64')}`,
    );
    assert.equal(got?.headers['content-type'], 'application/json');
    assert.equal(got?.headers.accept, 'application/json');
    assert.equal(got?.headers['x-refund-idempotency'], 'T');
    assert.equal(got?.body, '{"amount":11800}');
  });

  test('may have no body, and a base address with a slash or a path', async () => {
    const { body: _body, ...reading } = { ...repeatable, method: 'GET' as const };
    await call({ url: `${origin}/`, secret }, reading);
    await call({ url: `${origin}/sandbox`, secret }, reading);
    assert.deepEqual(
      received.map(({ url, body, headers }) => [url, body, headers['content-type']]),
      [
        ['/v1/orders?x=%20', '', undefined],
        ['/sandbox/v1/orders?x=%20', '', undefined],
      ],
    );
  });

  for (const status of [200, 201, 400, 401, 403, 404, 422]) {
    test(`with ${status} and a JSON object is reported after one try`, async () => {
      replies = [json(status, { error: { description: 'no' } })];
      const answer = await send(repeatable);
      assert.deepEqual(withoutTime(answer), {
        kind: 'answered',
        status,
        body: { error: { description: 'no' } },
        tries: 1,
      });
    });
  }

  test('with many clear refusals does not open the circuit breaker', async () => {
    replies = [json(400, {})];
    for (let calls = 0; calls < 2 * paymentLimits.providerFailuresMax; calls += 1)
      await send(repeatable);
    assert.equal((await send(unrepeatable)).kind, 'answered');
  });
});

/** Everything that may come instead of an answer, with its HTTP status and our message. */
const troubles: readonly { name: string; reply: Reply; status: number | null; why: RegExp }[] = [
  ...[500, 502, 503, 504, 408, 409, 425].map((status) => ({
    name: `the status ${status}`,
    reply: json(status, { error: { description: 'busy' } }),
    status,
    why: new RegExp(`HTTP status ${status}`),
  })),
  {
    name: 'a page of something in between',
    reply: raw(200, '<html>Please wait</html>'),
    status: 200,
    why: /without a JSON object/,
  },
  { name: 'an array', reply: raw(200, '[]'), status: 200, why: /without a JSON object/ },
  { name: 'an empty body', reply: raw(204, ''), status: 204, why: /without a JSON object/ },
  {
    name: 'half of a JSON object',
    reply: raw(200, '{"id": "ord'),
    status: 200,
    why: /without a JSON object/,
  },
  {
    name: 'a JSON object of a thousand levels',
    reply: raw(200, `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`),
    status: 200,
    why: /without a JSON object/,
  },
  {
    name: 'more than ten responses with status 1xx',
    reply: (_request, response) => {
      for (let count = 0; count < 11; count += 1) response.writeProcessing();
    },
    status: null,
    why: /connection to the provider broke/,
  },
  {
    name: 'headers beyond 16 KiB',
    reply: (_request, response) => {
      response.writeHead(200, { 'x-much': 'x'.repeat(17 * 1024) }).end('{}');
    },
    status: null,
    why: /connection to the provider broke/,
  },
  {
    name: 'a redirect',
    reply: (_request, response) => {
      response.writeHead(302, { location: `${origin}/elsewhere` }).end('moved');
    },
    status: 302,
    why: /without a JSON object/,
  },
  {
    name: 'a broken connection',
    reply: (request) => request.socket.destroy(),
    status: null,
    why: /connection to the provider broke/,
  },
  {
    name: 'a connection that breaks in the middle of the body',
    reply: (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":');
      setImmediate(() => request.socket.destroy());
    },
    status: null,
    why: /connection to the provider broke/,
  },
  {
    name: 'something that is not HTTP',
    reply: (request) => request.socket.end('hello\r\n\r\n'),
    status: null,
    why: /connection to the provider broke/,
  },
  {
    name: 'an endless body',
    reply: endless,
    status: 200,
    why: /too large/,
  },
  {
    name: 'a small body that unpacks to a large one',
    reply: (_request, response) => {
      const bytes = gzipSync(Buffer.alloc(paymentLimits.providerAnswerBytesMax + 1, ' '));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    },
    status: 200,
    why: /too large/,
  },
];

describe('a call without a usable answer', () => {
  for (const { name, reply, status, why } of troubles) {
    test(`is unknown and not retried where a repeat could do harm: ${name}`, async () => {
      replies = [reply];
      const answer = await send(unrepeatable);
      assert.deepEqual(
        [answer.kind, 'status' in answer && answer.status, answer.tries, received.length],
        ['unknown', status, 1, 1],
      );
      assert.match(whyOf(answer), why);
      assertDiscreet(answer);
    });
  }

  test('is tried three times where a repeat is safe, with the same bytes', async () => {
    replies = [json(503, {})];
    const answer = await send(repeatable);
    assert.deepEqual(
      [answer.kind, answer.tries, received.length],
      ['unknown', paymentLimits.providerTriesMax, paymentLimits.providerTriesMax],
    );
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers['x-refund-idempotency'])).size, 1);
  });

  test('is answered when a later try is answered', async () => {
    replies = [(request) => request.socket.destroy(), json(503, {}), json(200, { id: 'rfnd_1' })];
    assert.deepEqual(withoutTime(await send(repeatable)), {
      kind: 'answered',
      status: 200,
      body: { id: 'rfnd_1' },
      tries: 3,
    });
  });

  for (const method of ['POST', 'PUT', 'GET'] as const) {
    const kind = method === 'GET' ? 'answered' : 'unknown';
    test(`is ${kind} when a ${method} is refused after a try that may have taken effect`, async () => {
      replies = [json(503, {}), json(400, { error: {} })];
      const { body: _body, ...reading } = repeatable;
      const answer = await send(
        method === 'GET' ? { ...reading, method } : { ...repeatable, method },
      );
      const status = method === 'GET' ? 400 : 503;
      assert.deepEqual(
        [answer.kind, 'status' in answer && answer.status, answer.tries],
        [kind, status, 2],
      );
    });
  }

  test('never follows a redirect', async () => {
    replies = [
      (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end('{}'),
    ];
    const answer = await send(unrepeatable);
    assert.deepEqual([answer.kind, 'status' in answer && answer.status], ['answered', 307]);
    assert.deepEqual(
      received.map(({ url }) => url),
      ['/v1/orders?x=%20'],
    );
  });

  for (const [name, reply] of [
    ['never answers', () => undefined],
    ['sends the head and a part of the body only', slowBody],
  ] as const) {
    test(`times out when the provider ${name}`, async () => {
      const watch = new AbortController();
      const timeout = mock.method(AbortSignal, 'timeout', () => watch.signal);
      const heard = new Promise<void>((resolve) => {
        replies = [
          (request, response) => {
            reply(request, response);
            setImmediate(resolve);
          },
        ];
      });
      try {
        const answering = send(repeatable);
        await heard;
        watch.abort(new DOMException('It took too long', 'TimeoutError'));
        const answer = await answering;
        assert.deepEqual(
          [answer.kind, 'status' in answer && answer.status, answer.tries],
          ['unknown', null, 1],
        );
        assert.match(whyOf(answer), /did not answer in time/);
        assertDiscreet(answer);
        assert.deepEqual(
          timeout.mock.calls.map((made) => [...made.arguments]),
          [[paymentLimits.providerAnswerMsMax]],
        );
      } finally {
        timeout.mock.restore();
      }
    });
  }
});

test('a call that follows another one has the time that is left', async () => {
  const timeout = mock.method(AbortSignal, 'timeout');
  try {
    for (const answerMsMax of [1_200, -5]) await send({ ...unrepeatable, answerMsMax });
    assert.deepEqual(
      timeout.mock.calls.map((made) => [...made.arguments]),
      [[1_200], [0]],
    );
  } finally {
    timeout.mock.restore();
  }
});

test('a call whose deadline passes while it waits is not made', async () => {
  const late = AbortSignal.abort(new DOMException('It took too long', 'TimeoutError'));
  const timeout = mock.method(AbortSignal, 'timeout', () => late);
  try {
    const answer = await send(unrepeatable);
    assert.deepEqual([answer.kind, received.length], ['not-sent', 0]);
  } finally {
    timeout.mock.restore();
  }
});

describe('a call that reaches no server', () => {
  test('took no effect and is retried even where a repeat could do harm', async () => {
    const answer = await call({ url: await closedOrigin(), secret }, unrepeatable);
    assert.deepEqual(withoutTime(answer), {
      kind: 'not-sent',
      why: 'the provider cannot be reached',
      tries: paymentLimits.providerTriesMax,
    });
    assertDiscreet(answer);
  });

  test('took no effect if there is a server and no TLS', async () => {
    const answer = await call({ url: origin.replace('http:', 'https:'), secret }, unrepeatable);
    assert.deepEqual([answer.kind, received.length], ['not-sent', 0]);
  });

  test('took no effect if the server ends the connection before it is secure', async () => {
    const abrupt = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    abrupt.listen(0, '127.0.0.1');
    await once(abrupt, 'listening');
    const { port } = abrupt.address() as AddressInfo;
    const answer = await call({ url: `https://127.0.0.1:${port}`, secret }, unrepeatable);
    assert.equal(answer.kind, 'not-sent');
    // Without TLS, the data is the request itself.
    const sent = await call({ url: `http://127.0.0.1:${port}`, secret }, unrepeatable);
    assert.equal(sent.kind, 'unknown');
    abrupt.close();
  });

  test('is unknown after a try that reached the server: that one may have taken effect', async () => {
    const provider = createServer((request) => {
      // The server receives the first try and is gone before the next.
      provider.close();
      request.socket.destroy();
    });
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    const answer = await call({ url: `http://127.0.0.1:${port}`, secret }, repeatable);
    assert.deepEqual([answer.kind, answer.tries], ['unknown', paymentLimits.providerTriesMax]);
  });
});

describe('a provider that keeps failing', () => {
  const fail = async (times: number) => {
    replies = [json(500, {})];
    for (let calls = 0; calls < times; calls += 1) {
      assert.equal((await send(unrepeatable)).kind, 'unknown');
    }
  };

  test('is not called after five failures in a row', async () => {
    await fail(paymentLimits.providerFailuresMax);
    replies = [json(200, {})];
    const answer = await send(repeatable);
    assert.deepEqual(withoutTime(answer), {
      kind: 'not-sent',
      why: 'calls to the provider are paused after consecutive failures',
      tries: 0,
    });
    assert.equal(received.length, paymentLimits.providerFailuresMax);
  });

  test('is still called after four failures, or when it answered in between', async () => {
    await fail(paymentLimits.providerFailuresMax - 1);
    replies = [json(200, {})];
    assert.equal((await send(unrepeatable)).kind, 'answered');
    await fail(paymentLimits.providerFailuresMax - 1);
    replies = [json(200, {})];
    assert.equal((await send(unrepeatable)).kind, 'answered');
  });

  test('is called once after the pause, and normally again when it answers', async () => {
    await afterPause(async (pass) => {
      await fail(paymentLimits.providerFailuresMax);
      pass(paymentLimits.providerPauseMs - 1);
      assert.equal((await send(unrepeatable)).kind, 'not-sent');
      pass(1);
      replies = [json(200, {})];
      assert.equal((await send(unrepeatable)).kind, 'answered');
      await fail(paymentLimits.providerFailuresMax - 1);
    });
  });

  test('is not called again when the one try after the pause fails', async () => {
    await afterPause(async (pass) => {
      await fail(paymentLimits.providerFailuresMax);
      pass(paymentLimits.providerPauseMs);
      await fail(1);
      assert.equal((await send(unrepeatable)).kind, 'not-sent');
    });
  });

  test('is not one that is busy or still processes an earlier copy of a call', async () => {
    for (const status of [408, 409, 425, 429]) {
      replies = [json(status, {})];
      for (let calls = 0; calls < paymentLimits.providerFailuresMax; calls += 1)
        await send(unrepeatable);
    }
    replies = [json(200, {})];
    assert.equal((await send(unrepeatable)).kind, 'answered');
  });

  test('for one merchant is still called for another', async () => {
    await fail(paymentLimits.providerFailuresMax);
    replies = [json(200, {})];
    assert.equal((await send({ ...unrepeatable, user: 'key_2' })).kind, 'answered');
    assert.equal((await send(unrepeatable)).kind, 'not-sent');
  });

  test('does not affect other providers', async () => {
    await call({ url: await closedOrigin(), secret }, repeatable);
    await call({ url: await closedOrigin(), secret }, repeatable);
    assert.equal((await send(unrepeatable)).kind, 'answered');
  });

  test('and is not called between two tries of a call leaves that call unknown', async () => {
    await fail(paymentLimits.providerFailuresMax - 1);
    const answer = await send(repeatable);
    assert.deepEqual(
      [answer.kind, answer.tries, 'status' in answer && answer.status],
      ['unknown', 1, 500],
    );
  });
});

test('concurrent calls are limited, as many wait, and the rest is not made', async () => {
  let underWay = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  replies = [
    async (_request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === paymentLimits.providerCallsMax)
          for (const go of waiting.splice(0)) go();
      });
      underWay -= 1;
      response.setHeader('content-type', 'application/json').end('{}');
    },
  ];
  const all = Array.from({ length: 2 * paymentLimits.providerCallsMax + 10 }, () =>
    send(unrepeatable),
  );
  const answers = await Promise.all(all);
  assert.equal(most, paymentLimits.providerCallsMax);
  assert.equal(received.length, 2 * paymentLimits.providerCallsMax);
  const left = answers.filter(({ kind }) => kind !== 'answered');
  assert.deepEqual(
    left.map(withoutTime),
    Array.from({ length: 10 }, () => ({
      kind: 'not-sent',
      why: 'too many calls to the provider are in progress',
      tries: 0,
    })),
  );
});

function send(request: ProviderRequest): Promise<Answer> {
  return call({ url: origin, secret }, request);
}

function json(status: number, body: object): Reply {
  return raw(status, JSON.stringify(body));
}

function raw(status: number, body: string): Reply {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
}

/** An endless body, longer than the limit. */
function endless(_request: IncomingMessage, response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  response.writeHead(200);
  more();
}

function slowBody(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
}

/** With a mocked clock, which measures the pause. */
async function afterPause(story: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  try {
    await story((ms) => mock.timers.tick(ms));
  } finally {
    mock.timers.reset();
  }
}

/** An address where no server listens any more. */
async function closedOrigin(): Promise<string> {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function withoutTime({ durationMs: _durationMs, ...answer }: Answer): object {
  return answer;
}

function whyOf(answer: Answer): string {
  return answer.kind === 'answered' ? '' : answer.why;
}

/** The message is logged and shown, so it must contain neither credentials nor addresses. */
function assertDiscreet(answer: Answer): void {
  const credentials = Buffer.from(`key_1:${secret}`).toString('base64');
  for (const hidden of [secret, credentials, origin, '11800']) {
    assert.ok(!JSON.stringify(answer).includes(hidden), hidden);
  }
}
