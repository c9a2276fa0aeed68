/** Which passwords are refused because many people choose them. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { checkPassword } from '../../src/domain/users/password.ts';
import { isListed } from '../../src/security/common-passwords.ts';

const check = (text: string) => checkPassword(text, 'asha@team.example', isListed);

test('a common password is refused, also repeated, backwards, with digits around it, and in any letter case', () => {
  for (const password of [
    '1qaz2wsx3edc',
    'passwordpassword',
    'PassWordPassword',
    'password1234',
    '2026Password2026',
    ...[
      '1234password',
      'Password1Password1',
      'PASSWORDpassword99',
      'letmein20261118',
      'dragon000000',
    ],
    'qwertyqwerty',
    'iloveyouiloveyouiloveyou',
    '123456123456',
    '123456789012',
    '001234567890',
    ...[
      'abc123abc123',
      'abc1234567890',
      'ｐａｓｓｗｏｒｄ1234',
      'abcabcabcabc',
      '9876543210987',
      'drowssap1234',
    ],
  ]) {
    assert.throws(
      () => check(password),
      (error: ServiceError) =>
        error.code === 'INVALID_REQUEST_PARAMETER' &&
        /^password is too easy to guess: .*, such as four words/.test(error.merchantMessage),
      password,
    );
  }
});

test('other passwords are accepted, also with a common one within', () => {
  for (const password of [
    'correct horse battery',
    'two leaves and a bud',
    'my password is long',
    'passwordtulip',
    'tulip-password-1234',
    'xk2$Qp9!vLmz',
    'dragonfly monsoon',
    '804729163555',
  ]) {
    assert.equal(check(password), password);
  }
});

test('the longest password is judged at once, whatever it consists of', () => {
  for (const unit of ['7', '71', '0a', '9182736405']) {
    const startedAt = process.cpuUsage();
    assert.ok(typeof judge(unit.repeat(256).slice(0, 256)) === 'boolean');
    const { user, system } = process.cpuUsage(startedAt);
    assert.ok(user + system < 1_000_000, `${unit}: ${user + system} µs`);
  }
});

function judge(text: string): boolean {
  try {
    check(text);
    return true;
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return false;
  }
}
