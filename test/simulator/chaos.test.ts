import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { behaviourOf, scenarioNames } from '../../simulator/behaviours.ts';
import { chaosScenario } from '../../simulator/chaos.ts';
import { majorText, minorOf } from '../../simulator/money.ts';
import { idOf, randomOf } from '../../simulator/random.ts';
import { startShop } from './support.ts';

const references = Array.from({ length: 500 }, (_, index) => `o_${index}-260101000000`);

test('a seed chooses the same scenario for a reference, whatever was chosen before', () => {
  const forward = references.map((reference) => chaosScenario(3, reference));
  const backward = references.toReversed().map((reference) => chaosScenario(3, reference));
  assert.deepEqual(forward, backward.toReversed());
  assert.notDeepEqual(
    forward,
    references.map((reference) => chaosScenario(4, reference)),
  );
});

test('every scenario occurs, and the happy one most often', () => {
  const counts = Map.groupBy(references, (reference) => chaosScenario(1, reference).name);
  assert.deepEqual([...counts.keys()].sort(), scenarioNames().sort());
  const mostOften = [...counts].sort(([, left], [, right]) => right.length - left.length)[0];
  assert.equal(mostOften?.[0], 'happy');
});

test('some payments are disputed, in whole or in part and in every way, unless no webhook is sent', () => {
  const scenarios = references.map((reference) => chaosScenario(1, reference));
  const behaviours = scenarios.map(behaviourOf);
  const disputed = behaviours.filter(({ disputes }) => disputes.length > 0);
  assert.ok(disputed.length > 50 && disputed.length < 200, `${disputed.length} are disputed`);
  assert.ok(disputed.every(({ webhooks }) => webhooks !== 'never'));
  const plans = disputed.flatMap(({ disputes }) => disputes);
  const endings = new Set(plans.map(({ steps }) => steps.at(-1)));
  assert.deepEqual([...endings].sort(), ['closed', 'lost', 'under_review', 'won', undefined]);
  assert.ok(plans.some(({ share }) => share === 1) && plans.some(({ share }) => share < 1));
});

test('a whole run under chaos ends in the same ledger for the same seed', async (t) => {
  const run = async () => {
    const { simulator, openOrder, openSession, refundAtPartner } = await startShop(t, {
      seed: 5,
      timeScale: 0.00005,
      scenario: { name: 'chaos' },
    });
    for (const reference of references.slice(0, 6)) {
      await simulator.pay(await untilDone(() => openOrder(reference)));
      await simulator.pay(await untilDone(() => openSession(reference)));
    }
    await simulator.settled();
    for (const { id, provider, status } of simulator.ledger().payments) {
      if (provider !== 'partner' || status !== 'captured') continue;
      await untilDone(async () => `${(await refundAtPartner(id, {}, `refund-${id}`)).body.id}`);
    }
    await simulator.settled();
    const { disputes, ...ledger } = simulator.ledger();
    // When each is opened depends on the machine.
    return { ...ledger, disputes: disputes.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
  };
  const first = await run();
  assert.equal(first.payments.length, 12);
  assert.ok(first.refunds.length > 0);
  assert.deepEqual(await run(), first);
});

test('ids of different references differ, and random numbers stay within bounds', () => {
  const ids = references.map((reference) => idOf(1, reference, 14));
  assert.equal(new Set(ids).size, references.length);
  fc.assert(
    fc.property(fc.integer(), fc.string(), (seed, label) => {
      const random = randomOf(seed, label);
      for (let index = 0; index < 20; index += 1) {
        const value = random();
        assert.ok(value >= 0 && value < 1);
      }
    }),
  );
});

test('amounts are unchanged after conversion from minor to major units and back', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 1e12 }),
      fc.constantFrom('INR', 'JPY', 'KWD', 'CLF'),
      (minor, currency) => minorOf(majorText(minor, currency), currency) === minor,
    ),
  );
  assert.equal(minorOf('500.00', 'JPY'), 500);
  assert.equal(minorOf('10.100', 'INR'), 1010);
  for (const bad of ['1.234', '-1', '1e3', '', ' 1', '1.', undefined]) {
    assert.equal(minorOf(bad, 'INR'), undefined, `${bad}`);
  }
});

/** Retries while the provider is down, as a shop would. */
async function untilDone(start: () => Promise<string>): Promise<string> {
  for (let count = 0; count < 10; count += 1) {
    const id = await start().catch(() => 'undefined');
    if (id !== 'undefined') return id;
  }
  throw new Error('the provider never came back');
}
