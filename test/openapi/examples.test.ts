/**
 * The examples of the OpenAPI document are real calls: this test makes them again and compares. `npm run examples`
 * writes them.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type ErrorCode, errorTable, ServiceError } from '../../src/domain/errors.ts';
import { errorBody } from '../../src/http/error-reply.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { startJourney } from '../support/journey.ts';
import { recordCaptures } from './record-captures.ts';
import { recordEvents } from './record-events.ts';
import {
  anyAccount,
  cartOf,
  recordChoices,
  recordCreateOrder,
  recordEncrypted,
  recordGetOrder,
  recordOrderChanges,
  recordPaymentLink,
  recordPaymentLinkCalls,
  recordTokens,
  type Stage,
} from './record-merchant.ts';
import {
  recordEnquiry,
  recordGateway,
  recordOlderReads,
  recordPartner,
  recordPayments,
  recordRefund,
} from './record-payments.ts';
import { createRecorder, normalise, type Recorded, type Recorder } from './recorder.ts';

const writes = process.env.WRITE_EXAMPLES === 'yes';
const journey = await startJourney();
const { service, simulator, shop, openShop } = journey;
const hosts = new Map([
  [service.baseUrl, 'https://payments.example'],
  [simulator.url, 'https://provider.example'],
]);
const recorders = new Map<string, Recorder>();
let encrypted: { readonly request: unknown; readonly reply: unknown };
let encryptedEvent: unknown;

before(async () => {
  const plainShop = await openShop({
    encryptedPayloads: true,
    paymentModes: {},
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const create = async (invoice: string) =>
    (
      await service.call('/api/v3/create-order', {
        token: shop.token,
        body: cartOf(invoice, anyAccount),
      })
    ).body;
  const paid = await create('INV-2026-0040');
  await journey.pay(paid.order_id);
  await simulator.settled();
  const stage: Stage = {
    journey,
    plainShop,
    recorder: (file) => {
      const recorder = recorders.get(file) ?? createRecorder(hosts);
      recorders.set(file, recorder);
      return recorder;
    },
    open: await create('INV-2026-0041'),
    paid,
  };
  await recordTokens(stage);
  await recordCreateOrder(stage);
  await recordPaymentLink(stage);
  await recordPaymentLinkCalls(stage);
  await recordGetOrder(stage);
  await recordChoices(stage);
  await recordPayments(stage);
  await recordRefund(stage);
  await recordEnquiry(stage);
  await recordOlderReads(stage);
  await recordOrderChanges(stage);
  await recordPartner(stage);
  await recordGateway(stage);
  encryptedEvent = await recordEvents(stage);
  await recordCaptures(stage);
  encrypted = await recordEncrypted(stage);
  await recordOperator(stage);
});

test('every example is what the service sends and accepts today', async () => {
  for (const [name, recorder] of recorders) {
    const recorded = withoutStandardErrors(recorder.examples());
    const file = fileOf(name);
    if (writes) await writeFile(file, JSON.stringify(recorded, null, 2));
    const stored = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(normalise(stored), normalise(recorded), name);
  }
});

test('the encrypted example is an exchange of today', async () => {
  const file = fileOf('encrypted');
  const recorded = {
    EncryptedRequest: { summary: 'An encrypted request', value: encrypted.request },
    EncryptedReply: { summary: 'An encrypted reply', value: encrypted.reply },
    EncryptedEvent: { summary: 'An encrypted event', value: encryptedEvent },
  };
  if (writes) await writeFile(file, JSON.stringify(recorded, null, 2));
  const stored = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(normalise(stored), normalise(recorded));
});

async function recordOperator(stage: Stage): Promise<void> {
  const health = stage.recorder('healthz');
  health.reply('alive', 'The process is alive', await service.call('/healthz'));
  const metrics = stage.recorder('metrics');
  const reply = await service.call('/metrics');
  const lines = String(reply.body).split('\n');
  const shown = lines.filter((line) => line.includes('http_request_duration_seconds')).slice(0, 2);
  assert.equal(shown.length, 2);
  metrics.reply('text', 'Its first lines', { ...reply, body: `${shown.join('\n')}\n` });
  const ready = stage.recorder('readyz');
  ready.reply('ready', 'Ready', await service.call('/readyz'));
  // Written by hand, with the words of src/process/serve.ts: the service of this test is always ready.
  const notReady = { status: 503, headers: new Headers(), body: notReadyBody };
  ready.reply('waiting', 'The database does not answer yet', notReady, 503);
}

const notReadyBody = { status: 'not ready', missing: ['the database does not answer'] };

/** Errors with the texts of the error table are shared by all operations. */
function withoutStandardErrors(examples: Recorded): Recorded {
  const { errors = {}, ...others } = examples;
  const own = Object.entries(errors).filter(([code, body]) => {
    assert.ok(code in errorTable, code);
    const standard = errorBody(new ServiceError(code as ErrorCode));
    return JSON.stringify(body) !== JSON.stringify(standard);
  });
  return { ...others, ...(own.length > 0 && { errors: Object.fromEntries(own) }) };
}

function fileOf(name: string): string {
  if (['partner', 'bank-gateway'].includes(name)) {
    return join(projectDir, `src/providers/${name}/examples.json`);
  }
  const scope = ['healthz', 'readyz', 'metrics'].includes(name) ? 'operator' : 'merchant';
  return join(projectDir, `src/http/${scope}/examples/${name}.json`);
}
