/**
 * Hashes passwords with Argon2id. The parameters are part of the stored text, so that they can be raised: an older hash
 * is replaced at the next sign-in. docs/decisions/0042.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import { ServiceError } from '../domain/errors.ts';
import { userLimits } from '../domain/users/limits.ts';

/** 19 MiB, two passes and one lane: the least that OWASP recommends for Argon2id. */
const current = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;
const saltBytes = 16;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await computeTag(password, salt, current);
  const { memory, passes, parallelism } = current;
  const parameters = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Without a stored hash it takes the same time and is false, so that the time does not tell who has a password. */
export async function isPassword(stored: string | null | undefined, given: string) {
  const { salt, tag, parameters } = readHash(stored ?? (await dummyHash()));
  const computed = await computeTag(given, salt, parameters);
  return timingSafeEqual(computed, tag) && typeof stored === 'string';
}

/** True for a hash with weaker parameters than today's. */
export function isOutdated(stored: string): boolean {
  const { parameters } = readHash(stored);
  return parameters.memory < current.memory || parameters.passes < current.passes;
}

const hashFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function readHash(stored: string) {
  const match = hashFormat.exec(stored);
  if (!match) throw new Error('a stored password hash cannot be read');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    },
  };
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= hashPassword(randomBytes(16).toString('hex')).catch((error) => {
    dummy = undefined;
    throw error;
  });
  return dummy;
}

const argon2Async = promisify(argon2);

/** A flood of sign-ins must not take the memory, nor all threads on which names are looked up. */
const hashSlots = bulkhead(userLimits.passwordHashesMax, userLimits.passwordHashesQueuedMax);

async function computeTag(password: string, nonce: Buffer, parameters: typeof current) {
  try {
    return await hashSlots.execute(() =>
      argon2Async('argon2id', { message: password, nonce, tagLength: tagBytes, ...parameters }),
    );
  } catch (error) {
    if (!(error instanceof BulkheadRejectedError)) throw error;
    throw new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
  }
}

/** The usual text form of Argon2 hashes has no padding. */
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
