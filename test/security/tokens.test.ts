import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ErrorCode, ServiceError } from '../../src/domain/errors.ts';
import {
  createKeyRing,
  type IssuedToken,
  type KeyRing,
  type SigningKey,
  type Subject,
} from '../../src/security/tokens.ts';
import { anyText } from '../support/any-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Far from the real time, so that a test fails if the code reads the system clock. */
const now = new Date('2001-02-03T04:05:06.789Z');
const nowSeconds = Math.floor(now.getTime() / 1000);
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const key = signingKey('key_1', later(-86_400));
const ring = createKeyRing([key]);

const accountId = 'acc_0123456789abcdef';
const orderId = 'o_0123456789abcdef';
const merchant: Subject = { type: 'merchant', accountId, secretMark: '01234567' };
const order: Subject = { type: 'order', accountId, orderId };
const restricted: Subject = { ...order, userId: 'user_0123456789abcdef' };
const refresh: Subject = { type: 'refresh', accountId, orderId };

const goodHeader = { alg: 'HS256', typ: 'JWT', kid: key.keyId };
const goodClaims = {
  iss: 'payment-order-service',
  sub: accountId,
  token_type: 'order',
  order_id: orderId,
  iat: nowSeconds,
  exp: nowSeconds + 1_200,
};

test('a token of each type identifies the caller it was issued to', () => {
  for (const caller of [merchant, order, restricted, refresh]) {
    assert.deepEqual(subjectOf(ring, ring.issue(caller, now).token), caller);
  }
});

test('a token has exactly the agreed claims, an issuer and a unique id', () => {
  const lifetimes = { merchant: 1_200, order: 1_200, refresh: 86_400 };
  for (const caller of [merchant, order, restricted, refresh]) {
    const issued = ring.issue(caller, now);
    const { jti, ...claims } = payloadOf(issued);
    assert.equal(typeof jti, 'string');
    assert.deepEqual(claims, {
      iss: 'payment-order-service',
      sub: accountId,
      token_type: caller.type,
      ...(caller.type !== 'merchant' && { order_id: orderId }),
      ...(caller.type === 'merchant' && { secret_mark: caller.secretMark }),
      ...(caller === restricted && { user_id: 'user_0123456789abcdef' }),
      iat: nowSeconds,
      exp: nowSeconds + lifetimes[caller.type],
    });
    assert.deepEqual(headerOf(issued), goodHeader);
    assert.equal(issued.expiresAt.getTime(), (nowSeconds + lifetimes[caller.type]) * 1000);
  }
});

test('a verified order token includes the token itself and its expiry', () => {
  const issued = ring.issue(order, now);
  assert.deepEqual(ring.verify(issued.token, now).caller, { ...order, own: issued });
});

test('a token can be issued with a given expiry', () => {
  const issued = ring.issue(order, now, later(60));
  assert.equal(issued.expiresAt.getTime(), Math.floor(later(60).getTime() / 1000) * 1000);
  ring.verify(issued.token, later(59));
  assertRefused(issued.token, 'TOKEN_EXPIRED', later(60));
});

test('a merchant token without an access secret mark is refused', () => {
  assertRefused(forge(goodHeader, { ...goodClaims, token_type: 'merchant' }), 'INVALID_TOKEN');
});

test('a token is signed with HMAC-SHA256 over its own text', () => {
  const { token } = ring.issue(order, now);
  const [header, payload, signature] = token.split('.');
  const expected = createHmac('sha256', key.secret).update(`${header}.${payload}`);
  assert.equal(signature, expected.digest('base64url'));
});

test('two tokens issued at the same time differ', () => {
  const tokens = Array.from({ length: 1_000 }, () => ring.issue(order, now).token);
  assert.equal(new Set(tokens).size, 1_000);
});

test('a token made by hand with the right key, header and claims is accepted', () => {
  assert.deepEqual(subjectOf(ring, forge(goodHeader, goodClaims)), order);
});

test('a token expires with its last second and not before', () => {
  const lifetimes = [
    [merchant, 1_200],
    [order, 1_200],
    [refresh, 86_400],
  ] as const;
  for (const [caller, lifetimeSeconds] of lifetimes) {
    const { token, expiresAt } = ring.issue(caller, now);
    assert.equal(expiresAt.getTime(), (nowSeconds + lifetimeSeconds) * 1000);
    assert.deepEqual(subjectOf(ring, token, new Date(expiresAt.getTime() - 1)), caller);
    assertRefused(token, 'TOKEN_EXPIRED', expiresAt);
    assertRefused(token, 'TOKEN_EXPIRED', new Date(expiresAt.getTime() + 86_400_000));
  }
});

test('a token from the future is refused, unless the difference is small clock skew', () => {
  const issuedIn = (seconds: number) =>
    forge(goodHeader, { ...goodClaims, iat: nowSeconds + seconds, exp: nowSeconds + 1_200 });
  assert.deepEqual(subjectOf(ring, issuedIn(30)), order);
  assertRefused(issuedIn(31), 'INVALID_TOKEN');
  assertRefused(issuedIn(600), 'INVALID_TOKEN');
});

test('a header that is not ours is refused', () => {
  const forged: Readonly<Record<string, string>> = {
    'no algorithm': forge({ ...goodHeader, alg: 'none' }, goodClaims),
    'no algorithm and no signature': unsigned({ ...goodHeader, alg: 'none' }, goodClaims),
    'no algorithm in other case': unsigned({ ...goodHeader, alg: 'nOnE' }, goodClaims),
    'our algorithm and no signature': unsigned(goodHeader, goodClaims),
    HS512: forge({ ...goodHeader, alg: 'HS512' }, goodClaims, { hash: 'sha512' }),
    HS384: forge({ ...goodHeader, alg: 'HS384' }, goodClaims, { hash: 'sha384' }),
    'HS512 that says HS256': forge(goodHeader, goodClaims, { hash: 'sha512' }),
    RS256: forge({ ...goodHeader, alg: 'RS256' }, goodClaims),
    'an algorithm in lower case': forge({ ...goodHeader, alg: 'hs256' }, goodClaims),
    'an algorithm missing': forge({ typ: 'JWT', kid: key.keyId }, goodClaims),
    'a kid unknown': forge({ ...goodHeader, kid: 'key_2' }, goodClaims),
    'a kid missing': forge({ alg: 'HS256', typ: 'JWT' }, goodClaims),
    'a kid empty': forge({ ...goodHeader, kid: '' }, goodClaims),
    'a kid that is no text': forge({ ...goodHeader, kid: [key.keyId] }, goodClaims),
    'a kid of an object': forge({ ...goodHeader, kid: '__proto__' }, goodClaims),
    'a critical extension': forge({ ...goodHeader, crit: ['b64'], b64: false }, goodClaims),
  };
  for (const [name, token] of Object.entries(forged))
    assertRefused(token, 'INVALID_TOKEN', now, name);
});

test('a token signed with any other key is refused', () => {
  const secrets = [Buffer.alloc(32), Buffer.from('secret'), key.secret.subarray(1)];
  for (const secret of secrets) {
    assertRefused(forge(goodHeader, goodClaims, { secret }), 'INVALID_TOKEN');
  }
  const others = createKeyRing([{ ...key, secret: Buffer.alloc(32, 9) }]);
  assertRefused(others.issue(order, now).token, 'INVALID_TOKEN');
});

test('a token with missing or invalid claims is refused', () => {
  for (const name of Object.keys(goodClaims)) {
    const { [name as keyof typeof goodClaims]: _missing, ...rest } = goodClaims;
    assertRefused(forge(goodHeader, rest), 'INVALID_TOKEN', now, `${name} missing`);
  }
  const wrong: readonly Fields[] = [
    ...['', 'someone-else', 'payment-order-service ', 'PAYMENT-ORDER-SERVICE', null, 1].map(
      (iss) => ({ iss }),
    ),
    ...['', 'admin', 'Merchant', 'ORDER', null, 1, ['order']].map((type) => ({ token_type: type })),
    ...[null, 1, {}, [accountId]].map((sub) => ({ sub })),
    ...[null, 1, {}, [orderId]].map((order_id) => ({ order_id })),
    ...[null, 'now', String(nowSeconds), nowSeconds + 0.5].map((iat) => ({ iat })),
    ...[null, 'never', String(nowSeconds + 60), nowSeconds + 60.5].map((exp) => ({ exp })),
  ];
  for (const change of wrong) {
    const token = forge(goodHeader, { ...goodClaims, ...change });
    assertRefused(token, 'INVALID_TOKEN', now, JSON.stringify(change));
  }
});

test('an added order id does not turn a merchant token into another type', () => {
  const token = forge(goodHeader, {
    ...goodClaims,
    token_type: 'merchant',
    secret_mark: '01234567',
  });
  assert.deepEqual(subjectOf(ring, token), merchant);
});

test('a changed payload under the old signature is refused', () => {
  const { token } = ring.issue(order, now);
  const [header, , signature] = token.split('.');
  for (const change of [
    { token_type: 'merchant' },
    { sub: 'acc_fedcba9876543210' },
    { order_id: 'o_fedcba9876543210' },
    { exp: nowSeconds + 1_201 },
  ]) {
    const payload = encode({ ...payloadOf({ token }), ...change });
    assertRefused(`${header}.${payload}.${signature}`, 'INVALID_TOKEN');
  }
});

test('a change of any character of a token is refused', () => {
  const { token } = ring.issue(order, now);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n';
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom(...letters), (index, letter) => {
      fc.pre(token[index] !== letter);
      const changed = token.slice(0, index) + letter + token.slice(index + 1);
      assertRefused(changed, 'INVALID_TOKEN');
    }),
    { numRuns: 1_000 },
  );
});

test('text that is not a token is refused like a forged token', () => {
  const { token } = ring.issue(order, now);
  const [header, payload, signature] = token.split('.');
  const garbage = [
    '',
    ' ',
    '.',
    '..',
    '...',
    'a.b.c',
    'null',
    '{}',
    '💥',
    '\0',
    'x'.repeat(100_000),
    `${header}`,
    `${header}.${payload}`,
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `${token}.`,
    `${token}.${signature}`,
    ` ${token}`,
    `${token} `,
    `${token}\n`,
    `${token}=`,
    `Bearer ${token}`,
    token.toUpperCase(),
    token.slice(0, -1),
    `${token}A`,
    `${encode(null)}.${payload}.${signature}`,
    `${encode([])}.${payload}.${signature}`,
    sign(`${header}.${encode(null)}`),
    sign(`${header}.${encode([goodClaims])}`),
    sign(`${header}.${encode('text')}`),
    sign(`${header}.`),
    sign(`${header}.AAAA`),
  ];
  for (const text of garbage) assertRefused(text, 'INVALID_TOKEN', now, text.slice(0, 80));
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => assertRefused(text, 'INVALID_TOKEN')),
    { numRuns: 1_000 },
  );
});

test('a new key signs from two seconds after it was created, and verifies immediately', () => {
  const added = signingKey('key_2', now);
  const rotated = createKeyRing([key, added]);
  const signedBy = (time: Date) => headerOf(rotated.issue(order, time)).kid;

  assert.equal(signedBy(now), 'key_1');
  assert.equal(signedBy(later(1.999)), 'key_1');
  assert.equal(signedBy(later(2)), 'key_2');
  assert.equal(signedBy(later(86_400)), 'key_2');

  const byAdded = createKeyRing([added]).issue(order, now);
  assert.deepEqual(subjectOf(rotated, byAdded.token), order);
});

test('the newest key signs, whatever the order of the keys', () => {
  const keys = [key, signingKey('key_2', later(-100)), signingKey('key_3', later(-50))];
  for (const read of [keys, keys.toReversed()]) {
    assert.equal(headerOf(createKeyRing(read).issue(order, now)).kid, 'key_3');
  }
});

test('an only key signs immediately', () => {
  const first = createKeyRing([signingKey('key_1', now)]);
  assert.deepEqual(subjectOf(first, first.issue(order, now).token), order);
});

test('a token signed with the old key is accepted after rotation until that key expires', () => {
  const { token } = ring.issue(refresh, now);
  const retired = { ...key, expiresAt: later(3_600) };
  const rotated = createKeyRing([retired, signingKey('key_2', later(10))]);

  assert.deepEqual(rotated.verify(token, later(20)).caller, refresh);
  assert.deepEqual(rotated.verify(token, later(3_599.999)).caller, refresh);
  assert.throws(() => rotated.verify(token, later(3_600)), refusalOf('INVALID_TOKEN'));
  assert.throws(() => rotated.verify(token, later(3_601)), refusalOf('INVALID_TOKEN'));
});

test('an expired key does not sign while another key is valid', () => {
  const withdrawn = { ...signingKey('key_2', later(-3_600)), expiresAt: later(-60) };
  const both = createKeyRing([key, withdrawn]);
  assert.equal(headerOf(both.issue(order, now)).kid, 'key_1');
  assert.deepEqual(subjectOf(both, both.issue(order, now).token), order);
});

test('a ring without keys issues and accepts no tokens', () => {
  const empty = createKeyRing([]);
  assert.throws(() => empty.issue(order, now), /key ring has no live key/);
  const { token } = ring.issue(order, now);
  assert.throws(() => empty.verify(token, now), refusalOf('INVALID_TOKEN'));
});

function signingKey(keyId: string, createdAt: Date): SigningKey {
  const secret = createHmac('sha256', 'test').update(keyId).digest();
  return { keyId, secret, createdAt, expiresAt: null };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(text: string, { secret = key.secret, hash = 'sha256' } = {}): string {
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

function forge(header: Fields, claims: Fields, how?: { secret?: Buffer; hash?: string }): string {
  return sign(`${encode(header)}.${encode(claims)}`, how);
}

function unsigned(header: Fields, claims: Fields): string {
  return `${encode(header)}.${encode(claims)}.`;
}

function headerOf({ token }: Pick<IssuedToken, 'token'>): Fields {
  return decode(token.split('.')[0]);
}

function payloadOf({ token }: Pick<IssuedToken, 'token'>): Fields {
  return decode(token.split('.')[1]);
}

function decode(part = ''): Fields {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}

function assertRefused(token: string, code: ErrorCode, time = now, name = token): void {
  assert.throws(() => ring.verify(token, time), refusalOf(code), name);
}

function refusalOf(code: ErrorCode): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

/** The verified caller without the token itself. */
function subjectOf(keys: KeyRing, token: string, at = now): Subject {
  const { caller } = keys.verify(token, at);
  if (caller.type !== 'order') return caller;
  const { own, ...subject } = caller;
  assert.equal(own.token, token);
  return subject;
}
