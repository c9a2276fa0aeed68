/** docs/security.md as code: its list of risks leads to tests that exist, its headers are sent. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sendBytes } from './api/raw-http.ts';
import { listRoutes } from './api/routes.ts';
import { orderBody } from './support/order-bodies.ts';
import { listServedPaths } from './support/served-paths.ts';
import { type Call, type Reply, startTestService } from './support/test-service.ts';

const service = await startTestService();
const { token, accountId } = await service.createAccount();

test('each of the ten risks has its line, and each line leads to tests that exist', async () => {
  const lines = await readRiskLines();
  assert.deepEqual(
    lines.map(({ risk }) => risk.split(' ')[0]),
    Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
  );
  const missing: string[] = [];
  for (const { risk, done, links } of lines) {
    assert.ok(done.length > 0 && links.length > 0, `${risk} is held by something`);
    for (const { file, names } of links) {
      assert.ok(names.length > 0, `${risk}: ${file} is linked with the name of a test`);
      const titles = await listTitles(file);
      const gone = names.filter((name) => !titles.includes(name));
      missing.push(...gone.map((name) => `${risk}: ${file} has no test “${name}”`));
    }
  }
  assert.deepEqual(missing, []);
});

test('every reply of the API, whatever its status, is not kept, not taken for another type and sets no cookie', async () => {
  const order = { method: 'POST', token, body: orderBody() };
  const foreign = { headers: { origin: 'https://elsewhere.example' } };
  const calls: [path: string, call: Call, status: number][] = [
    ['/api/v3/create-order', order, 200],
    ['/api/v3/create-order', { ...order, ...foreign }, 200],
    ['/api/v3/create-order', { ...order, body: '{' }, 400],
    ['/api/v3/create-order', { ...order, body: 'x'.repeat(300_000) }, 413],
    ['/api/v3/create-order', { method: 'OPTIONS', ...foreign }, 405],
    ['/api/v3/order?order_id=v1-0', { token }, 404],
    ['/api/v3/nothing', {}, 404],
    ['/api/v3/%zz', {}, 404],
    [`/api/v3/webhooks/partner/${accountId}`, { token, body: { event: 'x' } }, 400],
  ];
  for (const [path, call, status] of calls) {
    const reply = await service.call(path, call);
    assert.equal(reply.status, status, path);
    assertApiHeaders(reply, `${path} ${status}`);
  }
  for (const { method, path } of await listRoutes(service)) {
    assertApiHeaders(await service.call(path, { method }), `${method} ${path} with nothing`);
  }
});

test('a request that is none is refused with the same headers', async () => {
  assertApiHeaders(await sendBytes(service.baseUrl, 'hello\r\n\r\n'), 'no request');
});

test('the figures of the operator are not kept, and no page is taken for another type', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const reply = await service.call(path);
    assert.equal(reply.status, 200, path);
    assertCommonHeaders(reply, path);
  }
  // The same for everybody and without secrets, so a browser may keep them.
  for (const path of ['/openapi.json', '/docs/', '/docs/start.js']) {
    const { status, headers } = await service.call(path);
    assert.equal(status, 200, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cache-control'), 'no-cache', path);
  }
});

test('the docs page runs its own scripts only, calls this service only and is framed by nobody', async () => {
  const { headers, body } = await service.call('/docs/');
  assert.doesNotMatch(body, /<script(?![^>]* src=)/, 'no inline script');
  const policy = readPolicy(headers);
  assert.equal(policy['default-src'], "'none'");
  assert.equal(policy['script-src'], "'self'");
  assert.equal(policy['connect-src'], "'self'");
  assert.equal(policy['base-uri'], "'none'");
  assert.equal(policy['form-action'], "'none'");
  assert.equal(policy['frame-ancestors'], "'none'");
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

test('the page of a payment loads nothing, has no base and is framed by nobody, known or not', async () => {
  const payment = `/pay/${accountId}/nothing`;
  for (const path of [payment, `${payment}/return`, '/l/nothing']) {
    const reply = await service.call(path);
    assert.equal(reply.status, 404);
    assertCommonHeaders(reply, path);
    const policy = readPolicy(reply.headers);
    assert.equal(policy['default-src'], "'none'");
    assert.equal(policy['script-src'], "'none'");
    assert.equal(policy['base-uri'], "'none'");
    assert.equal(policy['form-action'], "'none'");
    assert.equal(policy['frame-ancestors'], "'none'");
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
  }
});

const dashboardPaths = [
  ...[
    '/visit',
    '/session',
    '/sessions',
    '/sessions/{session_id}',
    '/account',
    '/audit',
    '/disputes',
    '/disputes/{dispute_id}',
    '/disputes/{dispute_id}/evidence.txt',
    '/sign-out',
  ],
  ...[
    '',
    '/payment-link/cancel',
    '/refunds',
    '/captures',
    '/voids',
    '/why',
    '/why.txt',
    '/deliveries/{delivery_id}',
  ].map((path) => `/orders/{order_id}${path}`),
  '/overview',
  '/filters',
  '/orders',
  '/orders.csv',
  '/search',
  '/payment-links',
  '/review',
  '/review/resolve',
  '/inbox',
  '/inbox/{delivery_id}',
  '/inbox/{delivery_id}/replay',
  ...['', '/{endpoint_id}', '/{endpoint_id}/rotate', '/{endpoint_id}/test'].map(
    (path) => `/endpoints${path}`,
  ),
  ...['', '/resend', '/{event_id}', '/{event_id}/resend'].map((path) => `/events${path}`),
  '/sign-in',
  '/sign-in/passkey/options',
  '/sign-in/passkey/verify',
  '/confirm',
  '/confirm/passkey/options',
  '/confirm/passkey/verify',
  '/settings',
  '/settings/secrets/{name}/show',
  '/settings/secrets/{name}/rotate',
  ...['', '/password', '/passkey/options', '/passkey/verify', '/passkeys/{passkey_id}'].map(
    (path) => `/credentials${path}`,
  ),
  '/team',
  '/team/{user_id}',
  '/team/invitations',
  '/team/invitations/{invitation_id}',
  ...['', '/join', '/password', '/passkey/options', '/passkey/verify'].map(
    (path) => `/invitation/{token}${path}`,
  ),
];

test('what is served is what is listed, and a few pages known by name', async () => {
  const { body } = await service.call('/openapi.json');
  const aliases = (await listRoutes(service)).map(({ path }) => path);
  const unlisted = [
    '/',
    '/docs',
    '/docs/',
    '/docs/start.js',
    '/docs/scalar/{etag}',
    '/openapi.json',
    '/l/{link_id}',
    '/pay/{account_id}/{transaction_id}',
    '/pay/{account_id}/{transaction_id}/return',
    '/checkout/logo/{account_id}/{digest}',
    '/checkout/icon.svg',
    '/favicon.ico',
    ...['', '/{order_id}', '/{order_id}/pay', '/{order_id}/give-up', '/{order_id}/state'].map(
      (path) => `/checkout${path}`,
    ),
    '/checkout/{order_id}/language/{language}',
    ...['', '/{page}', '/{page}/{id}', '/{page}/{id}/{part}'].map((path) => `/dashboard${path}`),
    ...['/{name}', '/{name}/{file}'].map((path) => `/dashboard/files/{version}${path}`),
    ...dashboardPaths.map((path) => `/dashboard/api${path}`),
  ];
  const listed = new Set([...Object.keys(body.paths), ...aliases, ...unlisted]);
  assert.deepEqual(await listServedPaths(service), [...listed].sort());
});

type Link = { readonly file: string; readonly names: readonly string[] };
type RiskLine = { readonly risk: string; readonly done: string; readonly links: readonly Link[] };

const root = new URL('../', import.meta.url).pathname;

async function readRiskLines(): Promise<RiskLine[]> {
  const text = await readFile(join(root, 'docs/security.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (API\d+ [^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)];
  return rows.map(([, risk = '', done = '', heldBy = '']) => ({
    risk,
    done,
    links: [...heldBy.matchAll(/\]\(\.\.\/(test\/[^)]+)\)((?: “[^”]+”)*)/g)].map(
      ([, file = '', quoted = '']) => ({
        file,
        names: [...quoted.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name),
      }),
    ),
  }));
}

/** The names of the tests of a file; what is filled in at run time is `…`. */
async function listTitles(file: string): Promise<string[]> {
  const text = await readFile(join(root, file), 'utf8');
  return [...text.matchAll(/\btest\(\s*(?:is\()?(['"`])(.*?)\1/g)].map(([, , title = '']) =>
    title.replace(/\$\{[^}]*\}/g, '…').replace(/…( …)+/g, '…'),
  );
}

function assertApiHeaders(reply: Reply, what: string): void {
  assertCommonHeaders(reply, what);
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8', what);
  const names = [...reply.headers.keys()];
  const telling = /^(access-control-allow-credentials|set-cookie|server$|x-powered-by)/;
  assert.deepEqual(
    names.filter((name) => telling.test(name)),
    [],
    what,
  );
}

function assertCommonHeaders({ headers }: Reply, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('cache-control'), 'no-store', what);
  assert.ok(headers.get('content-type'), what);
  assert.match(headers.get('x-request-id') ?? '', /^\w+$/, what);
}

function readPolicy(headers: Headers): Record<string, string> {
  const rules = (headers.get('content-security-policy') ?? '')
    .split(';')
    .map((rule) => rule.trim());
  return Object.fromEntries(
    rules.map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

/** From the router's own drawing: a branch continues the path of the one it grows from. */
