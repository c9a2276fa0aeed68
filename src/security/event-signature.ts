/** Signatures of events by Standard Webhooks 1.0.0. Contract 12.4. */
import { randomBytes } from 'node:crypto';
import { hmac, hmacKeyOf } from './hmac.ts';

const prefix = 'whsec_';
const secretBytes = 32;

export const newEndpointSecret = (): string => prefix + randomBytes(secretBytes).toString('base64');

type SignedEvent = {
  readonly eventId: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: Buffer;
};

/** The value of `webhook-signature`: one signature per live secret, so that a rotation breaks no receiver. */
export function signEvent({ eventId, timestamp, body }: SignedEvent, secrets: readonly string[]) {
  const content = Buffer.concat([Buffer.from(`${eventId}.${timestamp}.`), body]);
  return secrets.map((secret) => `v1,${hmac(keyOf(secret), content, 'base64')}`).join(' ');
}

const keyOf = (secret: string) => hmacKeyOf(Buffer.from(secret.slice(prefix.length), 'base64'));
