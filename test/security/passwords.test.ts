/** Password hashes: what is stored, that parameters can be raised, and that a flood is bounded. */
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { userLimits } from '../../src/domain/users/limits.ts';
import { hashPassword, isOutdated, isPassword } from '../../src/security/passwords.ts';

const password = 'correct horse battery';

test('a hash names its parameters, is salted, and knows its password', async () => {
  const stored = await hashPassword(password);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(stored, await hashPassword(password));
  assert.equal(await isPassword(stored, password), true);
  assert.equal(await isPassword(stored, `${password} `), false);
  assert.equal(isOutdated(stored), false);
});

test('a hash with weaker parameters is still known, and is to be replaced', async () => {
  const salt = Buffer.alloc(16, 1);
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: salt,
    tagLength: 32,
    memory: 8192,
    passes: 1,
    parallelism: 1,
  });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const stored = `$argon2id$v=19$m=8192,t=1,p=1$${text(salt)}$${text(tag)}`;
  assert.equal(await isPassword(stored, password), true);
  assert.equal(isOutdated(stored), true);
});

test('without a stored hash no password is right', async () => {
  for (const stored of [undefined, null]) assert.equal(await isPassword(stored, password), false);
});

test('a flood is refused beyond the queue, and the others are served', async () => {
  const { passwordHashesMax, passwordHashesQueuedMax } = userLimits;
  const hashes = Array.from({ length: passwordHashesMax + passwordHashesQueuedMax + 5 }, () =>
    hashPassword(password).then(
      () => 'hashed',
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    ),
  );
  const outcomes = Object.groupBy(await Promise.all(hashes), String);
  assert.equal(outcomes.hashed?.length, passwordHashesMax + passwordHashesQueuedMax);
  assert.equal(outcomes.SERVICE_UNAVAILABLE?.length, 5);
});
