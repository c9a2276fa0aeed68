/** Clients are generated from the document, compiled strictly, and make real calls. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { projectDir } from '../../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../../tools/harness/temporary-folder.ts';
import { generateClients } from '../../../tools/openapi/generate-clients.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const folder = await makeTemporaryFolder('generated-clients');
after(() => folder.remove());

/** A shop that uses the types of openapi-typescript and the client of Hey API. */
const shopProgram = `
import { client } from './client/client.gen.js';
import { createOrder, enquireTransactions, generateToken } from './client/index.js';
import type { components, paths, webhooks } from './types.js';

type CreateOrder = components['schemas']['CreateOrderRequest'];
type GetOrder = paths['/api/v3/order']['get']['responses'][200]['content']['application/json'];

type Completed = webhooks['order_completed']['post']['requestBody']['content']['application/json'];

export function receive(event: Completed): string {
  if (!('event_type' in event)) return event.encrypted_response;
  const status: 'completed' | 'lapsed' = event.status;
  return event.order.invoice_id + status;
}

export async function shop(baseUrl: string, credentials: components['schemas']['Credentials'], body: CreateOrder) {
  client.setConfig({ baseUrl });
  const issued = await generateToken({ body: credentials, throwOnError: true });
  const { token } = issued.data;
  client.setConfig({ baseUrl, auth: token });
  const created = await createOrder({ body, throwOnError: true });
  if (!('order_id' in created.data)) throw new Error('the reply is encrypted');
  const { order_id } = created.data;
  const enquiry = await enquireTransactions({ body: { order_id }, throwOnError: true });
  if (!('order' in enquiry.data)) throw new Error('the reply is encrypted');
  const status: 'new' | 'pending' | 'completed' | 'lapsed' = enquiry.data.order.status;
  const refused = await enquireTransactions({ body: { order_id: 'o_unknown' } });
  if (!refused.error || !('error' in refused.error)) throw new Error('no error came back');
  const url = baseUrl + '/api/v3/order?order_id=' + order_id;
  const reply = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
  const order = (await reply.json()) as GetOrder;
  const total: number = order.total_amount;
  return { status, total, code: refused.error.error.svc_error_code, httpStatus: refused.response?.status };
}
`;

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  rootDir: '.',
  outDir: 'built',
};

before(async () => {
  const { body: document } = await service.call('/openapi.json');
  await generateClients(document, folder.path);
  const write = (name: string, content: string) => writeFile(join(folder.path, name), content);
  await write('package.json', '{"type":"module"}');
  await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  await write('shop.ts', shopProgram);
});

test('the generated types and client compile strictly', async () => {
  await compile();
});

test('a program on generated clients gets a token, creates an order, asks for it and gets an error', async () => {
  const { shop } = await import(pathToFileURL(join(folder.path, 'built/shop.js')).href);
  const credentials = { access_key: account.accessKey, access_secret: account.accessSecret };
  assert.deepEqual(await shop(service.baseUrl, credentials, orderBody()), {
    status: 'new',
    total: 118,
    code: 'ORDER_NOT_FOUND',
    httpStatus: 404,
  });
});

test('a program with a field that the document does not know does not compile', async () => {
  const wrong = shopProgram.replace('order_id: ', 'order: ');
  await writeFile(join(folder.path, 'shop.ts'), wrong);
  await assert.rejects(compile(), /TS2353/);
});

async function compile(): Promise<void> {
  const compiler = join(projectDir, 'node_modules/.bin/tsc');
  try {
    await promisify(execFile)(compiler, ['--project', folder.path]);
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
}
