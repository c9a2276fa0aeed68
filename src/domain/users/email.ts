/** The e-mail address by which a user signs in. */
import { findEmail, foldEmail } from '../consumers/erased-consumer.ts';
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';

/** In the spelling in which it is stored. */
export function readUserEmail(text: string): string {
  const email = findEmail(text);
  if (email === undefined || email.length > limits.emailCharsMax || /\p{Cc}/u.test(email)) {
    refuseField('email', `must be an e-mail address of at most ${limits.emailCharsMax} characters`);
  }
  return foldEmail(email);
}

/** For a sign-in: what is no address belongs to nobody, and must not get another answer than an unknown one. */
export const foldUserEmail = (text: string): string => foldEmail(text.trim());
