import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Change, listChanges, replayChanges, type State } from '../../src/domain/history.ts';

test('a new field changes from null, and a null field is no change', () => {
  assert.deepEqual(listChanges(undefined, { status: 'pending', amount: 11_800, message: null }), [
    { field: 'status', from: null, to: 'pending' },
    { field: 'amount', from: null, to: 11_800 },
  ]);
});

test('only fields with different content are changes', () => {
  const before = { status: 'failed', flags: ['chargeback'], failure: { code: 'X' } };
  const after = { status: 'succeeded', flags: ['chargeback'], failure: null };
  assert.deepEqual(listChanges(before, after), [
    { field: 'status', from: 'failed', to: 'succeeded' },
    { field: 'failure', from: { code: 'X' }, to: null },
  ]);
});

test('equal states have no changes', () => {
  fc.assert(
    fc.property(states(), (state) => {
      assert.deepEqual(listChanges(state, structuredClone(state)), []);
    }),
  );
});

test('replaying no changes gives an empty state', () => {
  assert.deepEqual(replayChanges([]), {});
});

test('replaying the changes of any sequence of states gives the last', () => {
  fc.assert(
    fc.property(fc.array(states(), { minLength: 1, maxLength: 10 }), (sequence) => {
      const changes = changesOf(sequence);
      assert.deepEqual(known(replayChanges(changes)), known(sequence.at(-1) ?? {}));
    }),
    { numRuns: 1_000 },
  );
});

test('each change of a field starts from the value of the previous change', () => {
  fc.assert(
    fc.property(fc.array(states(), { minLength: 1, maxLength: 10 }), (sequence) => {
      const last = new Map<string, unknown>();
      for (const { field, from, to } of changesOf(sequence)) {
        assert.deepEqual(from, last.get(field) ?? null);
        assert.notDeepEqual(from, to);
        last.set(field, to);
      }
    }),
    { numRuns: 1_000 },
  );
});

/** The states of one transaction: always the same fields, null while unknown. */
function states(): fc.Arbitrary<State> {
  return fc.record(
    {
      status: fc.constantFrom('pending', 'failed', 'succeeded'),
      amount: fc.option(fc.nat({ max: 2 })),
      flags: fc.subarray(['amount_mismatch', 'merchant_mismatch']),
      failure: fc.option(fc.constantFrom({ code: 'A' }, { code: 'B' })),
      message: fc.option(fc.constantFrom('', 'one')),
    },
    { noNullPrototype: true },
  );
}

function changesOf(sequence: readonly State[]): Change[] {
  return sequence.flatMap((state, index) => listChanges(sequence[index - 1], state));
}

function known(state: State): State {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
}
