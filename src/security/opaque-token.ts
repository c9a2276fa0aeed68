/** Random tokens that mean nothing by themselves: cookies of sessions and one-time links. Only digests are stored. */
import { hash, randomBytes } from 'node:crypto';

export const newOpaqueToken = (): string => randomBytes(32).toString('base64url');

/** Without a key or a salt: nobody can guess 256 bits. A copy of the database opens no session. */
export const digestOfToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** For texts that are not random and must not be stored in clear, where being found again is all that matters. */
export const digestOfText = (text: string): string => hash('sha256', text, 'hex');
