/** Starts the real application with real HTTP, its own database and a clock that the test can move. */
import { Writable } from 'node:stream';
import { after } from 'node:test';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import { buildApp } from '../../src/process/app.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createLog, logWarningsTo } from '../../src/process/log.ts';
import { allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import { networksOf } from '../../src/security/networks.ts';
import type { Services } from '../../src/services/services.ts';
import { issueMerchantToken } from './merchant-token.ts';
import { type CreatedAccount, createTestAccount, type TestSettings } from './test-account.ts';
import { createTestDatabase, type TestDatabase, templateName } from './test-database.ts';

/** Fixed, so that tests that need a second service on the same database can share it. */
export const testMasterKeyHex = '42'.repeat(32);

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies are asserted field by field
  readonly body: any;
};

export type Call = {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; a string or bytes as they are. */
  readonly body?: unknown;
};

export type TestAccount = CreatedAccount & { readonly token: string };

export type TestService = TestDatabase & {
  readonly services: Services;
  readonly baseUrl: string;
  /** All lines logged so far, at every level. */
  readonly logText: () => string;
  /** Moves the service's clock. */
  readonly advanceSeconds: (seconds: number) => void;
  /**
   * From now on only `advanceSeconds` moves the service's clock, so that a slow machine makes no difference. Returns
   * what lets the clock run again.
   */
  readonly stopClock: () => () => void;
  readonly call: (path: string, call?: Call) => Promise<Reply>;
  readonly createAccount: (settings?: TestSettings) => Promise<TestAccount>;
};

/** With a port, its public URL is real, so that providers can call it. */
export async function startTestService({
  port = 0,
  publicUrl = '',
  trustedProxies = undefined as readonly string[] | undefined,
  databaseOptions = {} as NonNullable<Parameters<typeof createTestDatabase>[1]>,
} = {}): Promise<TestService> {
  const test = await createTestDatabase(templateName, databaseOptions);
  let offsetMs = 0;
  let stoppedAtMs: number | undefined;
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog('trace', sink);
  const services = createServices({
    database: test.database,
    masterKeyHex: testMasterKeyHex,
    clock: () => new Date((stoppedAtMs ?? Date.now()) + offsetMs),
    settings: {
      publicUrl: publicUrl || (port === 0 ? 'http://service.test' : `http://127.0.0.1:${port}`),
      orderLapseSeconds: 24 * 3600,
      endpointNetworks: allowedNetworksOf([], { loopback: true }),
      ...(trustedProxies && { trustedProxies: networksOf(trustedProxies) }),
    },
    logWarning: logWarningsTo(log),
  });
  const metrics = createMetrics();
  const { registry } = metrics;
  const app = await buildApp({
    services,
    metrics,
    countersCachedMs: 0,
    log,
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({
      contentType: registry.contentType,
      text: await registry.metrics(),
    }),
  });
  await app.listen({ host: '127.0.0.1', port });
  after(async () => {
    // A client in the test may keep its connection open until the timeout.
    app.server.closeAllConnections();
    await app.close();
  });
  const address = app.server.address() as { port: number };
  const baseUrl = `http://127.0.0.1:${address.port}`;

  return {
    ...test,
    services,
    baseUrl,
    logText: () => lines.join(''),
    advanceSeconds: (seconds) => {
      offsetMs += seconds * 1000;
    },
    stopClock: () => {
      stoppedAtMs ??= Date.now();
      return () => {
        stoppedAtMs = undefined;
      };
    },
    call: (path, options) => callService(baseUrl, path, options),
    createAccount: async (settings = {}) => {
      const account = await createTestAccount(services, settings);
      const { token } = await issueMerchantToken(services, account.accountId);
      return { ...account, token };
    },
  };
}

/** One HTTP call; the method is POST when there is a body. */
export async function callService(baseUrl: string, path: string, call: Call = {}): Promise<Reply> {
  const { token, body } = call;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${baseUrl}${path}`, {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: body === undefined ? null : isRaw ? (body as string) : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}
