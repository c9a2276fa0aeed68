/** OpenTelemetry traces of a real process, sent to a real collector. Contract 1.11. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import Fastify from 'fastify';
import { commandLine } from '../../../src/domain/audit.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { allowedNetworksOf } from '../../../src/security/endpoint-address.ts';
import { createSpans, spanOf } from '../../../src/tracing/spans.ts';
import { chooseSampler } from '../../../src/tracing/start-tracing.ts';
import { traceRequests } from '../../../src/tracing/trace-requests.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { runFailingStart, startServiceProcess } from '../../support/service-process.ts';
import { addEndpoint, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';
import { startTraceReceiver } from '../../support/trace-receiver.ts';

const provider = await startRefusingProvider();
const shop = await startShopEndpoint();
const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: {
    publicUrl: 'http://service.test',
    orderLapseSeconds: 3600,
    simulatorUrl: provider.url,
    endpointNetworks: allowedNetworksOf([], { loopback: true }),
  },
});
const { accountId } = await createAccount(
  services,
  { name: 'Shop', isSimulated: true },
  commandLine,
);
await addEndpoint({ services }, accountId, shop.url);
const { token } = await issueMerchantToken(services, accountId);

const env = {
  DATABASE_URL: url,
  MASTER_KEY: testMasterKeyHex,
  SIMULATOR_URL: provider.url,
  ENDPOINT_ALLOWED_NETWORKS: '127.0.0.0/8',
};
/** Prints every module for traces that a process loads, but for the bare API, which prom-client loads anyway. */
const watcher = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (/opentelemetry.(?!api.)|.src.tracing./.test(url)) console.error('loaded', url);
  return next(url, context);
} });`;
const command = [
  process.execPath,
  '--import',
  `data:text/javascript,${encodeURIComponent(watcher)}`,
  'src/main.ts',
] as const;
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

test('without an endpoint for traces, no module of OpenTelemetry is loaded', async () => {
  const service = await startServiceProcess(env, { command });
  assert.equal((await createOrder(service)).status, 200);
  assert.equal((await service.call('/metrics')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
  assert.doesNotMatch(service.output(), /^loaded /m);
});

test('a request continues the trace of its caller, down to its statements, calls and events, without personal data', async () => {
  const receiver = await startTraceReceiver();
  const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'shop' };
  const service = await startServiceProcess(traced, { command });
  assert.match(service.output(), /^loaded .*opentelemetry/m, 'the watcher of modules works');
  const order = await createOrder(service);
  await service.call('/readyz');
  const payment = {
    order_id: order.body.order_id,
    payment_mode_code: 'upi',
    upi_id: 'asha@okbank',
  };
  const started = await service.call('/api/v3/initiate-payment', { token, body: payment });
  assert.equal(started.body.payment_status, 'failed');
  await shop.waitFor(1);
  assert.equal(await service.end('SIGTERM'), 0, 'the rest is exported at the end');

  assert.deepEqual([...receiver.paths], ['POST /v1/traces']);
  assert.equal(receiver.resource()['service.name'], 'shop');
  const spans = receiver.spans();
  const [create] = spans.filter(({ name }) => name === 'POST /api/v3/create-order');
  assert.ok(create);
  assert.deepEqual([create.traceId, create.parentId], [traceId, parentId]);
  assert.deepEqual(create.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v3/create-order',
    'http.response.status_code': 200,
    'request.id': 'trace-test-1',
    'account.id': accountId,
  });
  const statements = spans.filter((span) => span.attributes['db.system.name'] === 'postgresql');
  assert.ok(statements.some((span) => span.parentId === create.spanId));
  const [begun] = spans.filter(({ name }) => name === 'POST /api/v3/initiate-payment');
  const [call] = spans.filter(({ name }) => name === 'provider call');
  assert.equal(call?.parentId, begun?.spanId);
  assert.equal(call?.attributes['server.address'], new URL(provider.url).host);
  assert.equal(call?.attributes['http.response.status_code'], 401);
  const [event] = spans.filter(({ name }) => name === 'event delivery');
  assert.equal(event?.attributes['event.id'], shop.received[0]?.headers['webhook-id']);
  assert.equal(event?.parentId, '');
  assert.deepEqual(
    spans.filter(({ name }) => name.includes('/readyz')),
    [],
  );

  const { user } = orderBody() as { user: { email: string; first_name: string } };
  for (const secret of [user.email, user.first_name, 'asha@okbank', token, 'traceparent']) {
    assert.ok(!receiver.text().includes(secret), `${secret} is not exported`);
  }
  for (const { headers } of [...provider.received, ...shop.received]) {
    assert.ok(!('traceparent' in headers) && !('tracestate' in headers));
  }
});

test('a request that waited for another one stays in its own trace', async () => {
  const spans = createSpans(new TracerProvider().getTracer('test'));
  const app = Fastify();
  traceRequests(spans, app);
  // The first request is let in by the second, as by the concurrency limit.
  let letIn: (() => void) | undefined;
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!letIn) {
      letIn = done;
      return;
    }
    done();
    letIn();
  });
  app.get('/', async () => {
    const active = spans.findActive();
    return active ? spanOf(active).spanContext().traceId : 'none';
  });
  const ids = ['1', '2'].map((digit) => digit.repeat(32));
  const replies = await Promise.all(
    ids.map((id) => app.inject({ url: '/', headers: { traceparent: `00-${id}-${parentId}-01` } })),
  );
  assert.deepEqual(
    replies.map(({ body }) => body),
    ids,
  );
});

test('a collector that never answers delays no request, and the end by a second at most', async () => {
  const silent = createTcpServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  after(() => silent.close());
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const plain = await timeRequestsAndEnd(env);
  const traced = await timeRequestsAndEnd({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  // For a machine that is busy with something else. The exporter gives up after 10 seconds.
  const marginMs = 5_000;
  const about = JSON.stringify({ plain, traced });
  assert.ok(traced.requestsMs < plain.requestsMs + marginMs, about);
  assert.ok(traced.endMs < plain.endMs + 1_000 + marginMs, about);
});

test('a sampler that does not exist stops the start with one sentence', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const { code, output } = await runFailingStart({
    ...env,
    ...endpoint,
    OTEL_TRACES_SAMPLER: 'some',
  });
  assert.equal(code, 1);
  assert.match(output, /^OTEL_TRACES_SAMPLER must be one of always_on, .+\.\n$/);
});

test('every standard sampler is known, and its ratio is a number from 0 to 1', () => {
  const chosen = (name: string, ratio?: string) =>
    String(chooseSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }));
  assert.match(chosen(''), /^ParentBased\{root=AlwaysOnSampler,/);
  assert.equal(chosen('always_off'), 'AlwaysOffSampler');
  assert.equal(chosen('traceidratio', '0.25'), 'TraceIdRatioBased{0.25}');
  assert.match(chosen('parentbased_traceidratio', '0.1'), /^ParentBased\{root=TraceIdRatioBased/);
  assert.equal(chosen('traceidratio', ' '), 'TraceIdRatioBased{1}');
  for (const ratio of ['2', '-1', 'half']) {
    assert.throws(() => chosen('traceidratio', ratio), /^StartError: OTEL_TRACES_SAMPLER_ARG must/);
  }
});

type Caller = Pick<Awaited<ReturnType<typeof startServiceProcess>>, 'call'>;

function createOrder(service: Caller) {
  const headers = {
    traceparent: `00-${traceId}-${parentId}-01`,
    'x-request-id': 'trace-test-1',
  };
  return service.call('/api/v3/create-order', { token, body: orderBody(), headers });
}

async function timeRequestsAndEnd(settings: Readonly<Record<string, string>>) {
  const service = await startServiceProcess(settings);
  const startedAt = performance.now();
  for (let count = 0; count < 50; count += 1)
    assert.equal((await createOrder(service)).status, 200);
  const endedAt = performance.now();
  assert.equal(await service.end('SIGTERM'), 0);
  return { requestsMs: endedAt - startedAt, endMs: performance.now() - endedAt };
}

/** Answers 401 to everything, so a payment fails and is announced. */
async function startRefusingProvider() {
  const received: { readonly headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, reply) => {
    received.push({ headers: request.headers });
    reply.writeHead(401, { 'content-type': 'application/json' });
    reply.end('{"error": {"description": "no"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
