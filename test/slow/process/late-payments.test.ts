/** A service that is killed while it applies or refunds a late payment refunds it once all the same. Contract 19.3. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSimulator } from '../../../simulator/simulator.ts';
import { runCommand, runJsonCommand } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { findCheckout, type SimulatedProvider } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { openSimulatedAccount, paymentBody, signIn } from '../../support/simulated-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const proxy = await startDatabaseProxy();
const { database, url: databaseUrl } = await createTestDatabase();
const env = {
  DATABASE_URL: databaseUrl,
  MASTER_KEY: testMasterKeyHex,
  PORT: String(await findFreePort()),
  PROVIDER_POLL_SECONDS: '1',
};
// Webhooks that find no service are repeated within a second or so.
const simulator = await startSimulator({ timeScale: 0.0003 });
after(() => simulator.close());
const account = await openSimulatedAccount(simulator, 'late', env);
await runJsonCommand(['account', 'update', account.account_id, '--late-payments', 'refund'], env);

/** Applying the success with its refund, sending the refund, and noting that it was sent. */
const points = [
  ['insert-transactions', 'before', 'credit_card'],
  ['insert-refund-request', 'before', 'upi'],
  ['insert-refund-request', 'after', 'upi'],
  ['append-history', 'after', 'credit_card'],
  ['commit', 'after', 'upi'],
  ['claim-due-polls', 'after', 'upi'],
  ['update-transactions', 'before', 'upi'],
  ['update-transactions', 'after', 'credit_card'],
] as const;

test('killed at any point, a service refunds a late payment once', {
  timeout: 240_000,
}, async (t) => {
  let service = await startServiceProcess(env);
  for (const [statement, side, mode] of points) {
    await t.test(`${side} ${statement}, ${mode}`, async () => {
      const provider: SimulatedProvider = mode === 'upi' ? 'partner' : 'bank-gateway';
      const token = await signIn(service, account);
      const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
      const { order_id } = created.body;
      const body = paymentBody(order_id, provider);
      const started = await service.call('/api/v3/initiate-payment', { token, body });
      const checkout = await findCheckout(started.body.next[0].url);
      await database.query({
        text: `update orders set lapses_at = created_at - interval '5 seconds' where order_id = $1`,
        values: [order_id],
      });
      const killed = Promise.withResolvers<void>();
      proxy.doOnce({ statement, side, occurrence: 1 }, () => {
        service.child.kill('SIGKILL');
        killed.resolve();
      });
      await simulator.pay(checkout);
      await killed.promise;
      await service.exited;
      service = await startServiceProcess(env);
      await simulator.settled();
      const shown = async () => {
        const answer = await service.call('/api/v3/transaction-enquiry', {
          token: await signIn(service, account),
          body: { order_id },
        });
        const { order, transaction } = answer.body;
        return [
          order.status,
          ...transaction.map(
            (entry: Readonly<Record<string, unknown>>) =>
              `${entry.payment_status ?? entry.refund_status} ${entry.transaction_amount}`,
          ),
        ].join();
      };
      const expected = 'lapsed,succeeded 118,succeeded 118';
      await waitUntil('it is refunded', async () => (await shown()) === expected);
      const { payments, refunds } = simulator.ledger();
      const moves = [...payments, ...refunds]
        .filter(({ reference }) => reference.startsWith(`${order_id}-`))
        .map(({ amount, status }) => `${status} ${amount}`);
      assert.deepEqual(moves, ['captured 11800', 'processed 11800']);
    });
  }
  const { code, stdout, stderr } = await runCommand(['verify', '--json'], env);
  assert.equal(code, 0, stdout + stderr);
});
