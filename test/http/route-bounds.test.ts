/** Every route of the dashboard and the checkout has a bound, and docs/security.md lists them. Contract 8.10. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { bounds } from '../../src/http/bounds.ts';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import { buildApp } from '../../src/process/app.ts';
import { createLog } from '../../src/process/log.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const routes = await listRoutes();
const page = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8');

test('every route of the dashboard and the checkout has a bound', () => {
  assert.ok(routes.length > 70, `${routes.length} routes`);
  const without = routes.filter(({ config }) => !((config?.bound ?? '') in bounds));
  assert.deepEqual(without.map(nameOf), []);
});

test('a route whose calls nobody counts answers from memory', () => {
  const uncounted = routes.filter(({ config }) => config?.bound === 'file').map(({ url }) => url);
  const isFile = /^\/dashboard(?!\/api)|^\/checkout\/(icon\.svg|:order_id\/language)|^\/favicon/;
  assert.deepEqual(
    uncounted.filter((url) => !isFile.test(url)),
    [],
  );
});

test('docs/security.md lists the bounds', () => {
  const rows = Object.entries(bounds).map(([name, bound]) => {
    const inProgress = bound.inProgressMax === Infinity ? 'any' : bound.inProgressMax;
    const slot = bound.takesSlot ? 'yes' : 'no';
    return `| \`${name}\` | ${bound.of} | ${inProgress} | ${bound.waitingMax} | ${slot} |`;
  });
  for (const row of rows) assert.ok(page.includes(row), `docs/security.md lacks ${row}`);
});

test('docs/security.md lists each route with its bound', () => {
  const listed = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| `(\w+)` \|$/gm)].map(
    ([, route, bound]) => `${route} ${bound}`,
  );
  const served = routes.map((route) => `${nameOf(route)} ${route.config?.bound}`);
  assert.deepEqual(listed.sort(), served.sort());
});

function nameOf({ method, url }: RouteOptions): string {
  return `${[method].flat().join(' ')} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** Without the routes that refuse other methods, and without HEAD, which is answered like GET. */
async function listRoutes(): Promise<RouteOptions[]> {
  const found: RouteOptions[] = [];
  const app = await buildApp({
    services: service.services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
    traceRequests: (root) => root.addHook('onRoute', (route) => void found.push(route)),
  });
  await app.close();
  const isBounded = /^\/(dashboard|checkout|pay|l)(\/|$)/;
  return found.filter(
    ({ url, method, config }) =>
      isBounded.test(url) && method !== 'HEAD' && config?.access !== 'public',
  );
}
