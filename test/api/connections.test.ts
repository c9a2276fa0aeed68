import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { httpLimits } from '../../src/http/limits.ts';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import { buildApp } from '../../src/process/app.ts';
import { createLog } from '../../src/process/log.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();

test('a process has no more connections than its limit; those beyond it are closed and logged once', async (t) => {
  const { port, lines } = await listen(t, 3);
  const open = await Promise.all(Array.from({ length: 3 }, () => connectTo(port)));
  for (const socket of open) assert.match(await health(socket), /^HTTP\/1\.1 200 /);

  const beyond = await Promise.all(Array.from({ length: 5 }, () => connectTo(port)));
  await Promise.all(beyond.map(closed));
  for (const socket of open) assert.match(await health(socket), /^HTTP\/1\.1 200 /);
  const warnings = lines.filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warnings.map(({ time, ...line }) => line),
    [{ level: 'warn', connectionsMax: 3, dropped: 1, msg: warnings[0]?.msg }],
  );
  assert.match(String(warnings[0]?.msg), /too many connections/);

  open[0]?.destroy();
  // The slot is free as soon as the service notices that the connection is closed.
  let text = '';
  while (text === '') {
    const next = await connectTo(port);
    text = await Promise.race([health(next), closed(next)]);
    next.destroy();
  }
  assert.match(text, /^HTTP\/1\.1 200 /);
  for (const socket of open) socket.destroy();
});

test('the default limit exceeds the concurrency limit plus the admission queue', async (t) => {
  const { server } = await listen(t);
  assert.equal(server.maxConnections, httpLimits.connectionsMax);
  assert.ok(
    httpLimits.connectionsMax > httpLimits.concurrentRequestsMax + httpLimits.admissionQueueMax,
  );
});

async function listen(t: { after: (done: () => unknown) => void }, connectionsMax?: number) {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const app = await buildApp({
    services: service.services,
    metrics: createMetrics(),
    log: createLog('warn', sink),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
    ...(connectionsMax !== undefined && { connectionsMax }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as { port: number };
  return { port, lines, server: app.server };
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** One request on an open connection. */
async function health(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  return String(chunk);
}

async function closed(socket: Socket): Promise<string> {
  if (!socket.destroyed) {
    socket.resume();
    await once(socket, 'close');
  }
  return '';
}
