/** One event over a real connection: what counts as an answer, and what is kept of it. Contract 12.5 and 12.6. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import {
  createEventSender,
  type SenderParts,
  withoutCutNumber,
} from '../../src/services/event-sender.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { testCertificate } from '../support/certificate.ts';
import { type AnswerBytes, okOf, startRawEndpoint } from '../support/raw-endpoint.ts';

const loopback = allowedNetworksOf([], { loopback: true });
const body = Buffer.from('{"event_type":"test"}');
/** Far below the real limits, so that no test waits for those. */
const impatient = { answerMsMax: 300, connectMsMax: 150 };
const kibibyte = 1024;
const closed = 'the connection was closed without an answer';

describe('the status decides', () => {
  for (const status of [200, 202, 204, 299, 400, 410, 429, 500, 503]) {
    test(`an answer of ${status} is returned with its text and Retry-After`, async () => {
      const answer = `HTTP/1.1 ${status} Any\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n`;
      const { sent, endpoint } = await sendTo((socket) => socket.write(answer));
      const { durationMs, ...others } = sent;
      assert.deepEqual(others, { status, response: '', retryAfter: '7' });
      assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
      assert.equal(endpoint.requests.length, 1);
    });
  }

  test('a redirect is an answer: its target is not called', async () => {
    const target = await startRawEndpoint((socket) => socket.end(okOf('')));
    for (const status of [301, 302, 303, 307, 308]) {
      const answer = `HTTP/1.1 ${status} Moved\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`;
      const { sent } = await sendTo((socket) => socket.write(answer));
      assert.equal(sent.status, status);
    }
    assert.equal(target.sockets.length, 0);
  });

  test('the event arrives with its bytes and headers', async () => {
    const { endpoint } = await sendTo((socket) => socket.write(okOf('ok')));
    const [head = '', sentBody] = (endpoint.requests[0] ?? '').split('\r\n\r\n');
    assert.match(head, /^POST \/events HTTP\/1\.1\r\n/);
    assert.match(head, /^webhook-id: evt_1\r$/im);
    assert.match(head, new RegExp(`^content-length: ${body.length}\\r$`, 'im'));
    assert.equal(sentBody, body.toString());
  });

  test('interim answers are skipped', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const { sent } = await sendTo((socket) => socket.write(hints + okOf('done')));
    assert.deepEqual([sent.status, sent.response], [200, 'done']);
  });
});

describe('what comes before an answer is bounded', () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const proceed = 'HTTP/1.1 100 Continue\r\n\r\n';

  test('ten answers with status 1xx are skipped, the eleventh ends the attempt', async () => {
    for (const early of [hint, proceed]) {
      const ten = early.repeat(10);
      assert.equal((await sendTo((socket) => socket.write(ten + okOf('')))).sent.status, 200);
      const { sent, endpoint } = await sendTo((socket) => socket.write(ten + early));
      assert.deepEqual(
        [sent.status, sent.response],
        [null, 'more than 10 responses with status 1xx'],
      );
      await closedBySender(endpoint.sockets);
    }
  });

  test('headers beyond 16 KiB end the attempt', async () => {
    const head = `HTTP/1.1 200 OK\r\nx-much: ${'x'.repeat(17 * kibibyte)}\r\n\r\n`;
    const { sent } = await sendTo((socket) => socket.write(head));
    assert.equal(sent.status, null);
    assert.match(sent.response, /^the answer is not valid HTTP: .*overflow/i);
  });
});

test('the end of a text is cut in one pass, whatever it contains', () => {
  assert.equal(withoutCutNumber('paid with 4111 1111 - '), 'paid with ');
  assert.equal(withoutCutNumber('no digits . - '), 'no digits . - ');
  assert.equal(withoutCutNumber('a 1 b 2'), 'a 1 b ');
  // A pattern that tries again at each digit would need hours.
  const digits = '1'.repeat(2_000_000);
  assert.equal(withoutCutNumber(`${digits}x`), `${digits}x`);
});

describe('an answer that does not end', () => {
  const start = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nthe start';

  test('200 whose body stalls is a success, with the start of the body', async () => {
    const { sent, endpoint } = await sendTo((socket) => socket.write(start), impatient);
    assert.deepEqual([sent.status, sent.response], [200, 'the start']);
    await closedBySender(endpoint.sockets);
  });

  test('200 whose connection breaks within the body is a success, and is not sent twice', async () => {
    const answers = [
      (socket: Parameters<AnswerBytes>[0]) => socket.write(okOf('first')),
      (socket: Parameters<AnswerBytes>[0]) =>
        socket.write(start, () => setImmediate(() => socket.resetAndDestroy())),
    ];
    const endpoint = await startRawEndpoint((socket) => answers.shift()?.(socket));
    const sender = openSender();
    await send(sender, endpoint.url);
    // The second one uses the kept connection, where a reset before the answer would be repeated.
    const sent = await send(sender, endpoint.url);
    assert.equal(sent.status, 200);
    assert.match(sent.response, /^(?:the start)?$/);
    assert.equal(endpoint.requests.length, 2);
    assert.equal(endpoint.sockets.length, 1);
  });

  test('500 whose connection breaks within the body is that status', async () => {
    const cut = start.replace('200 OK', '500 Error');
    const { sent } = await sendTo((socket) => socket.end(cut));
    assert.deepEqual([sent.status, sent.response], [500, 'the start']);
  });

  test('of a long body 4 KiB are kept, and the connection is closed', async () => {
    const { sent, endpoint } = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`;
      // For ever, as far as the sender is concerned.
      const more = () => {
        if (!socket.destroyed) socket.write(chunk, () => setImmediate(more));
      };
      more();
    });
    assert.equal(sent.status, 200);
    assert.equal(sent.response, 'x'.repeat(4 * kibibyte));
    await closedBySender(endpoint.sockets);
    // What fits into the buffers of the connection, not what the endpoint would have liked to send.
    assert.ok((endpoint.sockets[0]?.bytesWritten ?? 0) < 16 * kibibyte * kibibyte);
  });

  test('a body of exactly 4 KiB is kept whole, and the connection stays open', async () => {
    const sender = openSender();
    const text = 'y'.repeat(4 * kibibyte);
    const endpoint = await startRawEndpoint((socket) => socket.write(okOf(text)));
    assert.equal((await send(sender, endpoint.url)).response, text);
    assert.equal((await send(sender, endpoint.url)).response, text);
    assert.equal(endpoint.sockets.length, 1);
  });
});

describe('no answer', () => {
  test('a request without a response fails after the limit, and its connection is closed', async () => {
    const { sent, endpoint } = await sendTo(() => {}, impatient);
    assert.deepEqual([sent.status, sent.response], [null, 'no answer within 0.3 s']);
    assert.ok(sent.durationMs >= impatient.answerMsMax - 20, `${sent.durationMs}`);
    await closedBySender(endpoint.sockets);
    assert.equal(endpoint.requests.length, 1);
  });

  test('headers that arrive byte by byte do not extend the limit', async () => {
    const { sent, endpoint } = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a: b\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    }, impatient);
    assert.deepEqual([sent.status, sent.response], [null, 'no answer within 0.3 s']);
    await closedBySender(endpoint.sockets);
  });

  test('a TLS handshake that stalls fails after the limit for connecting', async () => {
    const endpoint = await startRawEndpoint(() => {});
    const sent = await send(openSender(impatient), endpoint.url.replace('http:', 'https:'));
    assert.deepEqual([sent.status, sent.response], [null, 'no connection within 0.15 s']);
    await closedBySender(endpoint.sockets);
  });

  test('a name whose lookup hangs fails after the limit for connecting', async () => {
    const sent = await send(openSender({ ...impatient, lookUp: () => {} }), 'http://shop.test/');
    assert.deepEqual([sent.status, sent.response], [null, 'no connection within 0.15 s']);
  });

  test('names whose lookups hang do not delay a name that was fast', async () => {
    const receiver = await startRawEndpoint((socket) => socket.end(okOf('ok')));
    const lookedUp: string[] = [];
    const lookUp: SenderParts['lookUp'] = (name, _options, callback) => {
      lookedUp.push(name);
      if (name === 'shop.test') callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const sender = openSender({ lookUp, connectMsMax: 1_000 });
    const shop = `http://shop.test:${receiver.port}/`;
    assert.equal((await send(sender, shop)).status, 200);
    const names = Array.from({ length: 6 }, (_, index) => `dead-${index}.test`);
    const dead = names.flatMap((name) => [`http://${name}/`, `http://${name}/`]);
    const sending = Promise.all(dead.map((url) => send(sender, url)));
    assert.equal((await send(sender, shop)).status, 200);
    const texts = new Set((await sending).map(({ response }) => response));
    assert.deepEqual([...texts], ['no connection within 1 s']);
    assert.deepEqual(lookedUp, ['shop.test', 'dead-0.test', 'dead-1.test', 'shop.test']);
  });

  test('a connection that is closed or reset without an answer is a failure', async () => {
    for (const answer of [
      (socket) => socket.end(),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
    ] satisfies AnswerBytes[]) {
      const { sent, endpoint } = await sendTo(answer);
      assert.deepEqual([sent.status, sent.response], [null, closed]);
      // A new connection: the endpoint may have read the event, so it waits for its next attempt.
      assert.equal(endpoint.requests.length, 1);
    }
  });

  test('an endpoint that switches protocols has not answered, and the attempt ends', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
    const { sent, endpoint } = await sendTo((socket) => socket.write(upgrade), impatient);
    assert.deepEqual([sent.status, sent.response], [null, closed]);
    await closedBySender(endpoint.sockets);
  });

  test('a response that is not HTTP is recorded as such', async () => {
    const notHttp = /^the answer is not valid HTTP: Parse Error: /;
    for (const answer of [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 200 OK\r\nbad header\x01: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc',
      `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(100)}\r\n`,
    ]) {
      const { sent } = await sendTo((socket) => socket.end(answer));
      assert.equal(sent.status, null, sent.response);
      assert.match(sent.response, notHttp);
    }
  });

  test('a refused connection and a name that does not resolve are explained', async () => {
    const gone = await startRawEndpoint(() => {});
    gone.close();
    const refused = await send(openSender(), gone.url);
    assert.deepEqual([refused.status, refused.response], [null, 'the connection was refused']);
    // Both addresses of the name refuse.
    const lookUp: SenderParts['lookUp'] = (_name, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    const both = await send(openSender({ lookUp }), `http://shop.test:${gone.port}/`);
    assert.equal(both.response, 'the connection was refused');
    for (const [code, text] of [
      ['ENOTFOUND', 'the name of the host does not resolve'],
      ['EAI_AGAIN', 'the name of the host could not be resolved'],
    ]) {
      const failing: SenderParts['lookUp'] = (name, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code }), []);
      const sent = await send(openSender({ lookUp: failing }), 'https://shop.test/');
      assert.deepEqual([sent.status, sent.response], [null, text]);
    }
    const none: SenderParts['lookUp'] = (_name, _options, callback) => callback(null, []);
    const sent = await send(openSender({ lookUp: none }), 'https://shop.test/');
    assert.equal(sent.response, 'the name of the host does not resolve');
  });
});

describe('connections', () => {
  test('one connection serves several events', async () => {
    const sender = openSender();
    const endpoint = await startRawEndpoint((socket) => socket.write(okOf('ok')));
    for (let count = 0; count < 5; count += 1) await send(sender, endpoint.url);
    assert.equal(endpoint.requests.length, 5);
    assert.equal(endpoint.sockets.length, 1);
    sender.close();
    await closedBySender(endpoint.sockets);
  });

  test('an event that meets the end of a kept connection is sent again on a new one', async () => {
    const sender = openSender();
    const seen = new Map<unknown, number>();
    const endpoint = await startRawEndpoint((socket) => {
      const count = (seen.get(socket) ?? 0) + 1;
      seen.set(socket, count);
      // As if it had closed the idle connection before the event arrived.
      if (count === 2) socket.resetAndDestroy();
      else if (seen.size < 3) setImmediate(() => socket.write(okOf('kept')));
      else socket.write(okOf('new'));
    });
    // Two kept connections, which both end when they are used again.
    await Promise.all([send(sender, endpoint.url), send(sender, endpoint.url)]);
    assert.equal(endpoint.sockets.length, 2);
    const sent = await send(sender, endpoint.url);
    assert.deepEqual([sent.status, sent.response], [200, 'new']);
    assert.equal(endpoint.sockets.length, 3);
    assert.equal(endpoint.requests.length, 4);
  });

  test('an endpoint that ends every connection is tried twice, not for ever', async () => {
    const sender = openSender();
    const endpoint = await startRawEndpoint((socket) => {
      if (endpoint.requests.length === 1) socket.write(okOf('ok'));
      else socket.resetAndDestroy();
    });
    await send(sender, endpoint.url);
    const sent = await send(sender, endpoint.url);
    assert.deepEqual([sent.status, sent.response], [null, closed]);
    assert.equal(endpoint.requests.length, 3);
  });
});

describe('TLS', () => {
  test('an endpoint with a trusted certificate gets the event', async () => {
    const endpoint = await startRawEndpoint((socket) => socket.write(okOf('sealed')), {
      isSecure: true,
    });
    const sender = openSender({ certificates: testCertificate });
    for (let count = 0; count < 2; count += 1) {
      const sent = await send(sender, endpoint.url);
      assert.deepEqual([sent.status, sent.response], [200, 'sealed']);
    }
    assert.equal(endpoint.sockets.length, 1);
  });

  test('a certificate that is not trusted, or is for another host, is refused and nothing is sent', async () => {
    const endpoint = await startRawEndpoint((socket) => socket.write(okOf('')), { isSecure: true });
    const refused = 'the certificate of the host is not accepted: ';
    const sent = await send(openSender(), endpoint.url);
    assert.deepEqual([sent.status, sent.response], [null, `${refused}self-signed certificate`]);
    const elsewhere = endpoint.url.replace('127.0.0.1', '127.0.0.3');
    const other = await startRawEndpoint((socket) => socket.write(okOf('')), {
      isSecure: true,
      host: '127.0.0.3',
      port: endpoint.port,
    });
    const wrongName = await send(openSender({ certificates: testCertificate }), elsewhere);
    assert.equal(wrongName.status, null);
    assert.match(wrongName.response, new RegExp(`^${refused}.*does not match`));
    assert.deepEqual([...endpoint.requests, ...other.requests], []);
  });

  test('a port without TLS is explained', async () => {
    const endpoint = await startRawEndpoint(() => {});
    const sender = openSender(impatient);
    const sending = send(sender, endpoint.url.replace('http:', 'https:'));
    await waitUntil('it is connected', () => endpoint.sockets.length === 1);
    endpoint.sockets[0]?.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    assert.match((await sending).response, /^the host does not answer with TLS/);
  });
});

describe('what is kept of an answer', () => {
  const textOf = async (bytes: Buffer) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    const { sent } = await sendTo((socket) => {
      socket.write(Buffer.concat([Buffer.from(head), bytes]));
    });
    assert.equal(sent.status, 200);
    return sent.response;
  };

  test('bytes that are no text, and NUL, do not prevent that it is stored', async () => {
    assert.equal(await textOf(Buffer.from('a\0b\0')), 'ab');
    assert.equal(await textOf(Buffer.from([0x61, 0xff, 0xfe, 0x62])), 'a\ufffd\ufffdb');
    const binary = await textOf(Buffer.alloc(4 * kibibyte, 0xff));
    assert.ok(Buffer.byteLength(binary) <= 4 * kibibyte, `${Buffer.byteLength(binary)} bytes`);
  });

  test('a character at the limit is not torn', async () => {
    const text = await textOf(Buffer.from(`x${'é'.repeat(4 * kibibyte)}`));
    assert.equal(text, `x${'é'.repeat(2 * kibibyte - 1)}`);
  });

  test('card numbers are masked, also one that the limit cuts off', async () => {
    assert.equal(
      await textOf(Buffer.from('card 4111 1111 1111 1111 was charged')),
      'card 4111 11** **** 1111 was charged',
    );
    for (const shown of [6, 10, 13, 15]) {
      const before = ' '.repeat(4 * kibibyte - shown - 1);
      const text = await textOf(Buffer.from(`${before}:4111111111111111 and more`));
      assert.equal(text.trim(), ':', `${shown} digits`);
    }
  });
});

function openSender(parts: SenderParts = {}) {
  const sender = createEventSender(loopback, parts);
  after(sender.close);
  return sender;
}

function send({ sendEvent }: ReturnType<typeof openSender>, url: string) {
  return sendEvent({ url, headers: { 'webhook-id': 'evt_1' }, body });
}

async function sendTo(answer: AnswerBytes, parts: SenderParts = {}) {
  const endpoint = await startRawEndpoint(answer);
  const sent = await send(openSender(parts), endpoint.url);
  return { sent, endpoint };
}

async function closedBySender(sockets: readonly { readonly closed: boolean }[]): Promise<void> {
  assert.ok(sockets.length > 0);
  await waitUntil('the sender has closed its connections', () =>
    sockets.every((socket) => socket.closed),
  );
}
