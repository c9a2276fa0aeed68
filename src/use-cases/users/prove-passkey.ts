/** Checks what a passkey signed: a challenge of ours that is recent, was meant for this, and is used once. */
import { ServiceError } from '../../domain/errors.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import {
  type Challenge,
  insertChallenge,
  lockPasskey,
  saveUse,
  takeChallenge,
} from '../../store/users/passkeys.ts';
import { lockUser, type User } from '../../store/users/users.ts';

type Purpose = Pick<Challenge, 'purpose' | 'subject'>;

/** What the browser passes to `navigator.credentials.get`. */
export async function offerPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  purpose: Purpose,
) {
  const { signInOptions } = await loadPasskeys();
  const options = await signInOptions(services.settings.publicUrl);
  await storeChallenge(services, { ...purpose, challenge: options.challenge, userId: null });
  return options;
}

/** What the browser passes to `navigator.credentials.create`. `known` are the passkeys that the user has. */
export async function offerNewPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  subject: string,
  user: Pick<User, 'userId' | 'email'>,
  known?: readonly string[],
) {
  const { registrationOptions } = await loadPasskeys();
  const options = await registrationOptions(services.settings.publicUrl, user, known);
  const registration = { purpose: 'registration', subject, userId: user.userId } as const;
  await storeChallenge(services, { ...registration, challenge: options.challenge });
  return options;
}

async function storeChallenge(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  challenge: Omit<Challenge, 'expiresAt'>,
): Promise<void> {
  const expiresAt = addSeconds(clock(), userLimits.challengeSeconds);
  await insertChallenge(database, { ...challenge, expiresAt });
}

/** The new passkey, with the id of the user to whom its registration was offered. */
export async function proveNewPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  subject: string,
  response: PasskeyResponse,
) {
  const { findNewPasskey } = await loadPasskeys();
  const purpose = { purpose: 'registration', subject } as const;
  const { challenge, userId } = await takeSigned(services, purpose, response);
  const passkey = await findNewPasskey(services.settings.publicUrl, challenge, response);
  if (!passkey || userId === null) throw wrongPasskey();
  return { ...passkey, userId };
}

/** Runs `work` in a transaction that has locked the passkey and its user. */
export async function provePasskey<Result>(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  purpose: Purpose,
  response: PasskeyResponse,
  work: (tx: Transaction, user: User, now: Date) => Promise<Result>,
): Promise<Result> {
  const { database, clock, settings } = services;
  const { findUse } = await loadPasskeys();
  const { challenge } = await takeSigned(services, purpose, response);
  return database.transaction(async (tx) => {
    const passkey = await lockPasskey(tx, response.id);
    if (!passkey) throw wrongPasskey();
    const counter = await findUse(settings.publicUrl, challenge, passkey, response);
    if (counter === undefined) throw wrongPasskey();
    const now = clock();
    await saveUse(tx, passkey.credentialId, counter, now);
    const user = await lockUser(tx, passkey.userId);
    if (!user) throw wrongPasskey();
    return work(tx, user, now);
  });
}

/** The parts that are read here; the library checks all others. */
export type PasskeyResponse = {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string };
};

/** In a transaction of its own, because a failed attempt uses the challenge up as well. */
async function takeSigned(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  purpose: Purpose,
  { response }: PasskeyResponse,
) {
  const challenge = findChallenge(response.clientDataJSON);
  if (challenge === undefined) throw wrongPasskey();
  const taken = await database.transaction((tx) =>
    takeChallenge(tx, { ...purpose, challenge }, clock()),
  );
  if (!taken) throw wrongPasskey();
  return { challenge, userId: taken.userId };
}

function findChallenge(clientDataJson: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    const isOurs = typeof challenge === 'string' && /^[\w-]{16,128}$/.test(challenge);
    return isOurs ? challenge : undefined;
  } catch {
    return undefined;
  }
}

export function wrongPasskey(): ServiceError {
  return new ServiceError(
    'AUTHENTICATION_FAILED',
    'The passkey was not accepted: start again, or use another way to sign in.',
  );
}

/**
 * Loads what verifies passkeys when one is first used: it takes 27 MB and a quarter of a second, and many installations
 * never use one.
 */
function loadPasskeys(): Promise<typeof import('../../security/passkeys.ts')> {
  return import('../../security/passkeys.ts');
}
