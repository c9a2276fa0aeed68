/** Names that resolve slowly or never must not occupy the threads that all others need. Contract 12.5. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { eventLimits } from '../../src/domain/events/limits.ts';
import type { LookUp } from '../../src/security/checked-address.ts';
import { createNameLookups } from '../../src/services/name-lookups.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

test('requests that wait for the same name share one lookup, and its result is not kept', () => {
  const { resolver, want } = open();
  const results = [want('shop.test'), want('shop.test')];
  assert.deepEqual(resolver.running(), ['shop.test']);
  resolver.answer('shop.test');
  assert.deepEqual(results, [
    { error: null, addresses: ['192.0.2.1'] },
    { error: null, addresses: ['192.0.2.1'] },
  ]);
  want('shop.test');
  assert.deepEqual(resolver.running(), ['shop.test']);
  assert.equal(resolver.count(), 2);
});

test('requests that queue for the same name share one lookup', () => {
  const { resolver, want, learnSlow } = open();
  learnSlow('dead.test', 'shop.test');
  want('dead.test');
  const results = [want('shop.test'), want('shop.test')];
  resolver.answer('dead.test');
  resolver.answer('shop.test');
  assert.deepEqual(
    results.map(({ addresses }) => addresses),
    [['192.0.2.1'], ['192.0.2.1']],
  );
});

test('a failure is shared too, and a name that fails fast is not slow', () => {
  const { resolver, want } = open();
  const error = new Error('getaddrinfo ENOTFOUND shop.test');
  const results = [want('shop.test'), want('shop.test')];
  resolver.answer('shop.test', error);
  assert.deepEqual(results, [
    { error, addresses: [] },
    { error, addresses: [] },
  ]);
  want('dead-1.test');
  want('dead-2.test');
  want('shop.test');
  assert.deepEqual(resolver.running(), ['dead-1.test', 'dead-2.test', 'shop.test']);
});

test('many dead names at once leave a thread to names that were fast', () => {
  const { resolver, want, learnFast } = open();
  learnFast('healthy-1.test', 'healthy-2.test');
  for (const name of deadNames(20)) want(name);
  assert.deepEqual(resolver.running(), ['dead-0.test', 'dead-1.test']);
  makeSlow();
  for (const name of ['healthy-1.test', 'healthy-2.test', 'healthy-1.test']) {
    const result = want(name);
    assert.deepEqual(resolver.running(), ['dead-0.test', 'dead-1.test', name]);
    resolver.answer(name);
    assert.deepEqual(result.addresses, ['192.0.2.1']);
  }
});

test('no more than three lookups run, and the others follow in their order', () => {
  const { resolver, want, learnFast } = open();
  const names = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
  learnFast(...names);
  for (const name of names) want(name);
  assert.deepEqual(resolver.running(), ['a.test', 'b.test', 'c.test']);
  resolver.answer('b.test');
  assert.deepEqual(resolver.running(), ['a.test', 'c.test', 'd.test']);
  resolver.answer('a.test');
  assert.deepEqual(resolver.running(), ['c.test', 'd.test', 'e.test']);
});

test('names that were slow share one thread, in their order', () => {
  const { resolver, want, learnSlow } = open();
  const names = deadNames(5);
  learnSlow(...names);
  for (const name of names) {
    want(name);
    assert.deepEqual(resolver.running(), ['dead-0.test']);
  }
  want('new.test');
  assert.deepEqual(resolver.running(), ['dead-0.test', 'new.test']);
  resolver.answer('new.test');
  for (const name of names) {
    assert.deepEqual(resolver.running(), [name]);
    makeSlow();
    resolver.answer(name);
  }
  assert.deepEqual(resolver.running(), []);
});

test('a name that is fast again is not slow any more', () => {
  const { resolver, want, learnSlow } = open();
  learnSlow('shop.test', 'dead.test');
  want('shop.test');
  resolver.answer('shop.test');
  want('dead.test');
  want('shop.test');
  assert.deepEqual(resolver.running(), ['dead.test', 'shop.test']);
});

test('a name learns that it is fast again, although its request could not wait for the dead before it', () => {
  const { resolver, want, learnSlow, passMs } = open();
  learnSlow('dead.test', 'shop.test');
  want('dead.test');
  want('shop.test');
  passMs(4 * eventLimits.eventConnectMsMax);
  resolver.answer('dead.test');
  assert.deepEqual(resolver.running(), ['shop.test']);
  resolver.answer('shop.test');
  want('dead.test');
  want('shop.test');
  assert.deepEqual(resolver.running(), ['dead.test', 'shop.test']);
});

test('requests that have ended are forgotten when another one waits for the same name', () => {
  const { resolver, want, passMs } = open();
  const ended = want('shop.test');
  passMs(eventLimits.eventConnectMsMax);
  const open1 = want('shop.test');
  passMs(eventLimits.eventConnectMsMax - 1);
  const open2 = want('shop.test');
  resolver.answer('shop.test');
  assert.equal(ended.addresses, undefined);
  assert.deepEqual([open1.addresses, open2.addresses], [['192.0.2.1'], ['192.0.2.1']]);
});

test('slow names beyond the limit of the queue are refused at once, and others are not', async () => {
  const { resolver, want, learnSlow, learnFast } = open();
  const names = deadNames(eventLimits.slowLookupsQueuedMax + 2);
  learnSlow(...names);
  learnFast('healthy.test');
  const results = names.map((name) => want(name));
  const healthy = want('healthy.test');
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const refused = results.filter(({ error }) => error);
  assert.deepEqual(refused, [results.at(-1)]);
  assert.equal(refused[0]?.error?.message, 'too many names of hosts wait to be resolved');
  resolver.answer('healthy.test');
  assert.deepEqual(healthy.addresses, ['192.0.2.1']);
});

test('new names beyond the limit of the queue are refused at once', async () => {
  const { want } = open();
  const count = eventLimits.lookupsNotFastMax + eventLimits.lookupsQueuedMax;
  const results = deadNames(count + 3).map((name) => want(name));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  assert.equal(results.filter(({ error }) => error).length, 3);
  assert.ok(results.slice(count).every(({ error }) => error));
});

type Result = { error?: Error | null; addresses?: string[] };

/** Lookups that the test answers, at times that it sets. */
function open() {
  let nowMs = 0;
  const resolver = createResolver();
  const lookUp = createNameLookups(resolver.lookUp, () => nowMs);
  const want = (hostname: string) => {
    const result: Result = {};
    lookUp(hostname, { all: true }, (error, found) => {
      Object.assign(result, { error, addresses: found.map(({ address }) => address) });
    });
    return result;
  };
  const learn = (names: readonly string[], wait: () => void) => {
    for (const name of names) {
      want(name);
      wait();
      resolver.answer(name);
    }
  };
  return {
    resolver,
    want,
    learnFast: (...names: string[]) => learn(names, () => {}),
    learnSlow: (...names: string[]) => learn(names, makeSlow),
    passMs: (ms: number) => {
      nowMs += ms;
    },
  };
}

function createResolver() {
  const running = new Map<string, Parameters<LookUp>[2]>();
  let count = 0;
  const lookUp: LookUp = (hostname, _options, callback) => {
    assert.ok(!running.has(hostname), `${hostname} is looked up twice`);
    running.set(hostname, callback);
    count += 1;
  };
  return {
    lookUp,
    count: () => count,
    running: () => [...running.keys()],
    answer: (hostname: string, error: Error | null = null) => {
      const callback = running.get(hostname);
      assert.ok(callback, `${hostname} is not looked up`);
      running.delete(hostname);
      callback(error, error ? [] : [{ address: '192.0.2.1', family: 4 }]);
    },
  };
}

function makeSlow(): void {
  mock.timers.tick(eventLimits.lookupFastMsMax);
}

function deadNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `dead-${index}.test`);
}
