/** One header authenticates a delivery, with any live secret, and stored headers cannot be used to authenticate. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Provider } from '../../../src/providers/provider.ts';
import { encode } from './bodies.ts';
import { type Body, type ProviderFixture, runs } from './fixture.ts';

const liveSecrets = ['secret-of-today', 'secret-of-yesterday', 'secret-of-last-week'];

export function testProof(provider: Provider, fixture: ProviderFixture): void {
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;
  const [body] = fixture.bodies as [Body];
  const bytes = encode(body);

  test(is('a proof with any of the live secrets is verified'), () => {
    for (const secret of liveSecrets) {
      const headers = fixture.prove(bytes, secret);
      assert.equal(provider.verify({ headers, body: bytes }, liveSecrets), 'verified');
      assert.equal(provider.verify({ headers, body: bytes }, liveSecrets.toReversed()), 'verified');
      assert.equal(provider.verify({ headers, body: bytes }, [secret]), 'verified');
    }
  });

  test(is('a proof with any other secret is refused'), () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.subarray(liveSecrets), (secret, live) => {
        fc.pre(!live.includes(secret));
        const headers = fixture.prove(bytes, secret);
        assert.equal(provider.verify({ headers, body: bytes }, live), 'refused');
      }),
      runs,
    );
  });

  test(is('a truncated, extended or empty proof, or one in another case, is refused'), () => {
    const [[name, proof]] = Object.entries(fixture.prove(bytes, 'secret-1')) as [[string, string]];
    const wrong = ['', ' ', proof.slice(0, -1), `${proof}0`, ` ${proof}`, proof.toUpperCase()];
    for (const value of wrong) {
      const delivery = { headers: { [name]: value }, body: bytes };
      assert.equal(provider.verify(delivery, ['secret-1']), 'refused', `"${value}"`);
    }
  });

  test(is('a missing proof is reported as absent, with and without live secrets'), () => {
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
    assert.equal(provider.verify({ headers, body: bytes }, liveSecrets), 'absent');
    assert.equal(provider.verify({ headers: {}, body: bytes }, []), 'absent');
  });

  if (fixture.proofCoversBytes) {
    test(is('a body with one changed bit is refused'), () => {
      const headers = fixture.prove(bytes, 'secret-1');
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(7), (index, bit) => {
          const changed = Buffer.from(bytes);
          changed[index] = (changed[index] ?? 0) ^ (1 << bit);
          assert.equal(provider.verify({ headers, body: changed }, ['secret-1']), 'refused');
        }),
        runs,
      );
    });
  }
}

export function testHeaders(provider: Provider, fixture: ProviderFixture): void {
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;
  const [body] = fixture.bodies as [Body];
  const bytes = encode(body);

  test(is('one header contains the proof, and without it the proof is absent'), () => {
    const { proofHeader } = provider;
    assert.deepEqual(Object.keys(fixture.prove(bytes, 'secret-1')), [proofHeader]);
    assert.equal(provider.verify({ headers: {}, body: bytes }, ['secret-1']), 'absent');
    for (const value of ['', 'wrong']) {
      const raw = { headers: { [proofHeader]: value }, body: bytes };
      assert.equal(provider.verify(raw, ['secret-1']), 'refused');
    }
  });

  test(is('the stored headers identify repeats and contain no proof'), () => {
    const proofs = Object.keys(fixture.prove(bytes, 'secret-1'));
    assert.ok(provider.storedHeaders.includes(fixture.keyHeader));
    for (const name of [...proofs, 'authorization']) {
      assert.equal(provider.storedHeaders.includes(name), false, name);
    }
  });

  test(is('the event id is the value of its header; an empty value counts as none'), () => {
    const { keyHeader } = fixture;
    assert.equal(provider.findEventId({ headers: { [keyHeader]: 'E-1' }, body: bytes }), 'E-1');
    assert.equal(provider.findEventId({ headers: {}, body: bytes }), undefined);
    for (const empty of ['', ' ']) {
      assert.equal(
        provider.findEventId({ headers: { [keyHeader]: empty }, body: bytes }),
        undefined,
      );
    }
  });
}
