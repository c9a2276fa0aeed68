import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { addOpenApi } from '../../src/http/open-api/open-api.ts';

test('a document that could not be built is built again at the next request', async () => {
  const app = Fastify();
  await addOpenApi(app, 'https://payments.example', async () => ({}));
  let tries = 0;
  const documentation = {
    replyDescription: 'The order.',
    examples: new URL('../../src/http/merchant/examples/refund.json', import.meta.url),
    loadBody: async () => {
      tries += 1;
      if (tries === 1) throw new Error('too many open files');
      return Type.Object({ order_id: Type.String() });
    },
  };
  app.post('/order', {
    config: { documentation },
    schema: { operationId: 'order', summary: 'Order' },
    handler: async () => ({}),
  });
  await app.ready();
  await assert.rejects(app.openApi(), /too many open files/);
  const { paths } = await app.openApi();
  assert.match(JSON.stringify(paths['/order']?.post?.requestBody), /"order_id"/);
});
