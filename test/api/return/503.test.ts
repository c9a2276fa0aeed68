import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createLog } from '../../../src/process/log.ts';
import { visit } from '../../support/returns.ts';
import { startTestService } from '../../support/test-service.ts';

test('while the service is not ready the consumer gets a page that retries', async () => {
  const { services } = await startTestService();
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
    isPrepared: () => false,
  });
  after(() => app.close());
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const method of ['GET', 'POST']) {
    const path = '/pay/acc_0000000000000000/o_0000000000000000-260101000000/return';
    const { status, text, headers } = await visit(`${base}${path}`, { method });
    assert.equal(status, 503);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('retry-after'), '1');
    assert.ok(text.includes(`<noscript><meta http-equiv="refresh" content="2; url=return">`));
    assert.ok(text.includes(`data-reload="2" data-to="return"`));
  }
});
