/**
 * Tokens: JWTs signed with HS256 by a ring of keys, each found by its `kid`. Contract 2.1 to 2.4.
 * A token names its account and what it allows, so verifying it needs no database lookup.
 */
import { createDecoder, createVerifier } from 'fast-jwt';
import { accountLimits } from '../domain/accounts/limits.ts';
import { ServiceError } from '../domain/errors.ts';
import { randomBase62 } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { hmac, hmacKeyOf } from './hmac.ts';

const issuer = 'payment-order-service';
const algorithm = 'HS256';

type MerchantSubject = {
  readonly type: 'merchant';
  readonly accountId: string;
  /** Fingerprint of the access secret it was issued for. The token expires with that secret. Contract 2.6. */
  readonly secretMark: string;
};

type OrderSubject = {
  readonly type: 'order';
  readonly accountId: string;
  readonly orderId: string;
  /** The consumer to whom the order was restricted when the token was issued. Contract 11.2. */
  readonly userId?: string;
};

type RefreshSubject = {
  readonly type: 'refresh';
  readonly accountId: string;
  readonly orderId: string;
};

export type Subject = MerchantSubject | OrderSubject | RefreshSubject;

/** The caller of a request, read from the verified token. */
export type Caller =
  | MerchantSubject
  | RefreshSubject
  /** `own` is the token itself. Replies repeat it, so that it cannot renew itself. Contract 2.9. */
  | (OrderSubject & { readonly own: IssuedToken });

export type IssuedToken = { readonly token: string; readonly expiresAt: Date };

/** One key of the ring. One key signs; all keys that have not expired verify. */
export type SigningKey = {
  readonly keyId: string;
  readonly secret: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

export type KeyRing = ReturnType<typeof createKeyRing>;
export type VerifiedToken = ReturnType<KeyRing['verify']>;

type Claims = {
  readonly iss: string;
  readonly sub: string;
  readonly token_type: Subject['type'];
  readonly order_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly secret_mark?: string | undefined;
  readonly iat: number;
  readonly exp: number;
  /** Makes every token unique, also those issued within one second. */
  readonly jti: string;
};

const lifetimeSeconds: Readonly<Record<Subject['type'], number>> = {
  merchant: limits.merchantTokenLifetimeSeconds,
  order: limits.orderTokenLifetimeSeconds,
  refresh: limits.refreshTokenLifetimeSeconds,
};

const decodeHeader = createDecoder({ complete: true });

export function createKeyRing(keys: readonly SigningKey[]) {
  const newestFirst = keys
    .map((key) => ({ ...key, sign: signerOf(key), verify: verifierOf(key) }))
    .sort((a, b) => Number(b.createdAt) - Number(a.createdAt));
  const byId = new Map(newestFirst.map((key) => [key.keyId, key]));

  /** A new key signs only after every process has had time to read it, so that all can verify its signatures. */
  const signingKey = (now: Date) => {
    const readByAllMs = now.getTime() - 2 * accountLimits.secretsCacheMsMax;
    let oldest: (typeof newestFirst)[number] | undefined;
    for (const key of newestFirst) {
      if (key.expiresAt !== null && key.expiresAt <= now) continue;
      if (key.createdAt.getTime() <= readByAllMs) return key;
      oldest = key;
    }
    if (!oldest) throw new Error('the key ring has no live key');
    return oldest;
  };

  const isLive = (keyId: string, now: Date) => {
    const key = byId.get(keyId);
    return key !== undefined && (key.expiresAt === null || key.expiresAt > now);
  };

  return {
    /** Valid for the lifetime of its type, or until `expiresAt`. */
    issue(subject: Subject, now: Date, expiresAt?: Date): IssuedToken {
      const iat = Math.floor(now.getTime() / 1000);
      const exp = expiresAt
        ? Math.floor(expiresAt.getTime() / 1000)
        : iat + lifetimeSeconds[subject.type];
      const claims: Claims = {
        iss: issuer,
        sub: subject.accountId,
        token_type: subject.type,
        order_id: subject.type === 'merchant' ? undefined : subject.orderId,
        user_id: subject.type === 'order' ? subject.userId : undefined,
        secret_mark: subject.type === 'merchant' ? subject.secretMark : undefined,
        iat,
        exp,
        jti: randomBase62(12),
      };
      return { token: signingKey(now).sign(claims), expiresAt: new Date(exp * 1000) };
    },
    verify(token: string, now: Date) {
      const keyId = keyIdOf(token) ?? '';
      const key = byId.get(keyId);
      if (!key || !isLive(keyId, now)) throw new ServiceError('INVALID_TOKEN');
      const claims = checkTimes(readClaims(key.verify, token), now);
      const expiresAt = new Date(claims.exp * 1000);
      const caller = callerOf(claims, { token, expiresAt });
      return { caller, keyId, expiresAtMs: expiresAt.getTime() };
    },
    isLive,
  };
}

/**
 * Signing is done here because a library encodes the header again for each token and takes twice as long, and every new
 * order signs two tokens. Verification reads untrusted input and is left to the library.
 */
function signerOf({ keyId, secret }: SigningKey): (claims: Claims) => string {
  const key = hmacKeyOf(secret);
  const header = toBase64Url({ alg: algorithm, typ: 'JWT', kid: keyId });
  return (claims) => {
    const signed = `${header}.${toBase64Url(claims)}`;
    return `${signed}.${hmac(key, signed, 'base64url')}`;
  };
}

const toBase64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function verifierOf(key: SigningKey): (token: string) => unknown {
  // checkTimes compares the times with the service's own clock, which tests can set.
  return createVerifier({
    key: key.secret,
    algorithms: [algorithm],
    allowedIss: issuer,
    requiredClaims: ['sub', 'iss', 'iat', 'exp', 'token_type'],
    ignoreExpiration: true,
    cache: false,
  });
}

function keyIdOf(token: string): string | undefined {
  try {
    const { header } = decodeHeader(token) as { header: { kid?: unknown } };
    return typeof header.kid === 'string' ? header.kid : undefined;
  } catch {
    return undefined;
  }
}

function readClaims(verify: (token: string) => unknown, token: string): Claims {
  try {
    return verify(token) as Claims;
  } catch {
    throw new ServiceError('INVALID_TOKEN');
  }
}

function checkTimes(claims: Claims, now: Date): Claims {
  const nowSeconds = now.getTime() / 1000;
  const { iat, exp } = claims;
  if (!Number.isInteger(iat) || !Number.isInteger(exp)) throw new ServiceError('INVALID_TOKEN');
  if (iat > nowSeconds + limits.clockSkewSecondsMax) throw new ServiceError('INVALID_TOKEN');
  if (exp <= nowSeconds) throw new ServiceError('TOKEN_EXPIRED');
  return claims;
}

function callerOf(claims: Claims, own: IssuedToken): Caller {
  const { sub: accountId, token_type: type, order_id: orderId, user_id: userId } = claims;
  const secretMark = claims.secret_mark;
  if (typeof accountId !== 'string') throw new ServiceError('INVALID_TOKEN');
  if (type === 'merchant' && typeof secretMark === 'string') return { type, accountId, secretMark };
  if (typeof orderId !== 'string') throw new ServiceError('INVALID_TOKEN');
  if (type === 'refresh') return { type, accountId, orderId };
  if (type !== 'order') throw new ServiceError('INVALID_TOKEN');
  return { type, accountId, orderId, own, ...(typeof userId === 'string' && { userId }) };
}
