/**
 * Passkeys (WebAuthn). The library verifies; what is accepted is decided here. It is large, so this file is loaded when
 * a passkey is first used (`use-cases/users/prove-passkey.ts`).
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { userLimits } from '../domain/users/limits.ts';
import { dashboardOrigins, relyingPartyId } from '../domain/users/site.ts';

export type Passkey = {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
};

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257];
const timeout = userLimits.challengeSeconds * 1000;

/**
 * A passkey is the only proof, so it must ask for a fingerprint or a PIN, and must be found without a name. `known` are
 * those that the user has: a device that has one does not make a second.
 */
export function registrationOptions(
  publicUrl: string,
  { userId, email }: { readonly userId: string; readonly email: string },
  known: readonly string[] = [],
) {
  return generateRegistrationOptions({
    rpName: 'Payment orders',
    rpID: relyingPartyId(publicUrl),
    userName: email,
    userDisplayName: email,
    userID: new Uint8Array(Buffer.from(userId)),
    timeout,
    // Which model of authenticator it is does not matter, and is nobody's business.
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map((id) => ({ id })),
  });
}

/** No list of credentials: it would tell who has a passkey. The browser offers those that it knows. */
export function signInOptions(publicUrl: string) {
  return generateAuthenticationOptions({
    rpID: relyingPartyId(publicUrl),
    userVerification: 'required',
    timeout,
  });
}

/** Undefined unless everything about it is right. */
export async function findNewPasskey(
  publicUrl: string,
  challenge: string,
  response: unknown,
): Promise<Passkey | undefined> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      ...expected(publicUrl, challenge),
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const known = transports.filter((name) => /^[a-z-]{1,32}$/.test(name)).slice(0, 8);
    return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports: known };
  } catch {
    // The library throws for whatever it does not accept, with texts that quote what was sent.
    return undefined;
  }
}

/** The new counter, or undefined unless everything about it is right. A counter that goes back is refused. */
export async function findUse(
  publicUrl: string,
  challenge: string,
  { credentialId, publicKey, counter }: Passkey,
  response: unknown,
): Promise<number | undefined> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      ...expected(publicUrl, challenge),
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

function expected(publicUrl: string, challenge: string) {
  const rpID = relyingPartyId(publicUrl);
  return {
    expectedChallenge: challenge,
    expectedOrigin: dashboardOrigins(publicUrl).filter(
      (origin) => new URL(origin).hostname === rpID,
    ),
    expectedRPID: rpID,
    requireUserVerification: true,
  };
}
