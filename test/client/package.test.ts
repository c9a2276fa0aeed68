/** The package as a merchant installs it: packed, installed without a network, and used in every way. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { baseEnv, projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';

const { path: folder, remove } = await makeTemporaryFolder('pos-client-');
after(remove);
const env = { ...baseEnv, HOME: folder, npm_config_cache: join(folder, 'cache') };
const run = async (program: string, words: string[], cwd = folder) => {
  const running = promisify(execFile)(program, words, { cwd, env });
  const { stdout } = await running.catch((error) => assert.fail(`${error}\n${error.stdout}`));
  return stdout.trim();
};

await writeFile(join(folder, 'package.json'), '{"name":"shop","private":true}');
const pack = ['pack', '--json', '--pack-destination', folder];
const [packed] = JSON.parse(await run('npm', pack, join(projectDir, 'client')));
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`]);

const names = [
  'NetworkError',
  'PaymentOrderError',
  'ServiceCallError',
  'UntrustedDataError',
  'createClient',
  'readReturn',
  'verifySignature',
  'verifyWebhook',
];

test('the package holds the client, its types and its licence, and installs nothing else', async () => {
  const installed = join(folder, 'node_modules');
  const folders = (await readdir(installed)).filter((name) => !name.startsWith('.'));
  assert.deepEqual(folders, ['payment-order-client']);
  const { dependencies, scripts } = JSON.parse(
    await readFile(join(installed, 'payment-order-client/package.json'), 'utf8'),
  );
  assert.deepEqual([dependencies, scripts], [undefined, undefined]);
  const files = packed.files.map(({ path }: { path: string }) => path);
  const own = await readdir(join(projectDir, 'client'), { recursive: true });
  assert.deepEqual(files.toSorted(), own.filter((file) => file !== 'lib').toSorted());
});

test('a bundler of the shop finds the part for the browser, which is one file', async () => {
  const find = "console.log(import.meta.resolve('payment-order-client/browser'))";
  const found = await run(process.execPath, ['--input-type=module', '-e', find]);
  const text = await readFile(new URL(found), 'utf8');
  assert.match(text, /^export function openCheckout/m);
  assert.doesNotMatch(text, /^import /m);
});

test('import and require give the same functions and classes', async () => {
  await writeFile(
    join(folder, 'shop.mjs'),
    `import * as imported from 'payment-order-client';
import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('payment-order-client');
const isSame = Object.keys(required).every((name) => imported[name] === required[name]);
console.log(JSON.stringify({ isSame, names: Object.keys(required).sort() }));`,
  );
  await writeFile(
    join(folder, 'shop.cjs'),
    `const { createClient, NetworkError } = require('payment-order-client');
const client = createClient({
  baseUrl: 'http://pay.invalid', accessKey: 'k', accessSecret: 's',
  fetch: async () => { throw new TypeError('fetch failed'); },
});
client.refund({ invoice_id: 'INV-1' }).catch((error) => {
  console.log(error instanceof NetworkError, error.code, typeof error.idempotencyKey);
});`,
  );
  // As in Node 20, where `require` cannot load ES modules.
  const older = '--no-experimental-require-module';
  const shown = await Promise.all(
    ['shop.mjs', 'shop.cjs'].map((file) => run(process.execPath, [older, file])),
  );
  assert.deepEqual(JSON.parse(shown[0] ?? ''), { isSame: true, names });
  assert.equal(shown[1], 'true NETWORK_ERROR string');
});

/** Lines that must not compile are marked. */
const typed = `
export async function sell(client: Client): Promise<string> {
  try {
    const { order_id, status } = await client.createOrder({ invoice_id: 'INV-1', currency: 'INR', total_amount: '118.00' });
    const state: 'new' | 'pending' | 'completed' | 'lapsed' = status;
    // @ts-expect-error no such payment mode
    await client.initiatePayment({ order_id, payment_mode_code: 'cheque' });
    const { transaction, order } = await client.transactionEnquiry({ order_id });
    for (const entry of transaction) {
      const outcome: 'valid' | 'unsigned' = await client.verifySignature(entry, order.invoice_id);
      // @ts-expect-error no such status
      if (entry.payment_status === 'paid') return outcome;
    }
    return state;
  } catch (error) {
    if (error instanceof ServiceCallError) {
      // @ts-expect-error no such code of the service
      if (error.code === 'TIMEOUT') return '';
      return error.code === 'ORDER_LAPSED' ? error.consumerMessage : error.merchantMessage;
    }
    if (!(error instanceof PaymentOrderError)) throw error;
    // @ts-expect-error no such code
    if (error.code === 'NO_SUCH_CODE') return '';
    return error.code === 'TIMEOUT' ? (error.idempotencyKey ?? '') : error.message;
  }
}
export const shop = sell(createClient({ baseUrl: 'https://pay.example.com', accessKey: 'k', accessSecret: 's', fetch }));
declare const fetch: Fetch;

export async function receive(request: { headers: { [name: string]: string | string[] }; body: Uint8Array }) {
  const event = await verifyWebhook({ ...request, secret: ['whsec_a', 'whsec_b'], toleranceSeconds: 60 });
  switch (event.event_type) {
    case 'payment_authorized': case 'payment_success': case 'payment_failed': case 'payment_reversed': {
      const type: 'payment' = event.transaction.transaction_type;
      // @ts-expect-error a payment is not completed
      return event.status === 'completed' ? type : event.transaction.payment_status.length;
    }
    case 'refund_pending': case 'refund_success': case 'refund_failed':
      return event.transaction.refund_status.length + event.svc_transaction_id.length;
    case 'capture_pending': case 'capture_success': case 'capture_failed':
      return event.capture.amount + event.transaction.payment_status.length;
    case 'void_pending': case 'void_success': case 'void_failed':
      return event.void.amount + (event.void.transaction_id?.length ?? 0);
    case 'dispute_created': case 'dispute_updated': case 'dispute_won': case 'dispute_lost': case 'dispute_closed':
      return event.dispute.respond_by ?? event.transaction.payment_status.length;
    case 'order_completed': case 'order_lapsed': {
      const none: null = event.transaction;
      return none ?? event.order.total_amount;
    }
    case 'review_needed':
      // @ts-expect-error it may be about the order
      event.transaction.status;
      if (event.transaction?.transaction_type === 'payment') return event.transaction.status.length;
      // @ts-expect-error a refund has no status of a payment
      event.transaction?.status;
      return event.event_status.length + (event.transaction?.refund_amount ?? 0);
    case 'test': {
      const none: null = event.order;
      return none ?? event.sequence;
    }
    default:
      return event satisfies never;
  }
}
// @ts-expect-error the raw body is needed
export const parsed = verifyWebhook({ headers: new Map<string, string>(), body: {}, secret: 'whsec_a' });
`;

const typedPage = `
import { type CheckoutResult, openCheckout } from 'payment-order-client/browser';
const onResult = (result: CheckoutResult | null): string => {
  // @ts-expect-error it may have been closed before it was shown
  result.status;
  if (result?.status === 'success') return result.transaction?.payment_status ?? '';
  // @ts-expect-error no such status
  return result?.status === 'closed' ? '' : (result?.svc_transaction_id ?? '');
};
const options = { baseUrl: 'https://pay.example.com', token: 't', onResult };
openCheckout({ ...options, paymentModeCode: 'upi', label: 'Pay' }).close();
// @ts-expect-error the token is missing
openCheckout({ baseUrl: 'https://pay.example.com', onResult });
`;

test('the types hold in a strict project, for import and for require', async () => {
  const used =
    '{ type Client, createClient, type Fetch, PaymentOrderError, ServiceCallError, verifyWebhook }';
  const source = join(folder, 'typed');
  await mkdir(source);
  await writeFile(join(source, 'esm.mts'), `import ${used} from 'payment-order-client';${typed}`);
  await writeFile(join(source, 'page.mts'), typedPage);
  await writeFile(join(source, 'cjs.cts'), `import ${used} from 'payment-order-client';${typed}`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    // Neither the types of Node nor those of a browser: the client must not depend on them.
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022'],
    types: [],
  };
  await writeFile(join(source, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await run(join(projectDir, 'node_modules/.bin/tsc'), ['-p', source]);
});
