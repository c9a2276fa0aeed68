/** Flags that need a person: the ids by which they are closed, and notes. Contract 6.9. */
import { maskCardNumbers } from '../cards/card-numbers.ts';
import { isAccountId, isOrderId, isTransactionId } from '../ids.ts';
import { limits } from '../limits.ts';
import { type ReviewFlag, reviewFlags } from '../review-flag.ts';

export type FlagKey = {
  readonly accountId: string;
  /** The transaction that has the flag, or the order. */
  readonly subject: string;
  readonly flag: ReviewFlag;
};

export type ReviewResolution = Pick<FlagKey, 'subject' | 'flag'> & {
  readonly at: Date;
  readonly actor: string;
  readonly note: string;
};

/** The id contains the account, so that an operator needs nothing but the id. */
export function flagIdOf({ accountId, subject, flag }: FlagKey): string {
  return `${accountId}/${subject}:${flag}`;
}

export function findFlagKey(id: string): FlagKey | undefined {
  const [, accountId = '', subject = '', flag = ''] = /^([^/]+)\/([^:]+):(.+)$/.exec(id) ?? [];
  const isSubject = isOrderId(subject) || isTransactionId(subject);
  const known = reviewFlags.find((one) => one === flag);
  return isAccountId(accountId) && isSubject && known
    ? { accountId, subject, flag: known }
    : undefined;
}

/** A transaction id starts with the id of its order. */
export const orderIdOf = (subject: string): string => subject.split('-')[0] ?? subject;

/** A note as it may be stored; undefined if it is empty or too long. */
export function findNote(text: string): string | undefined {
  const note = maskCardNumbers(text.trim());
  return note.length >= 1 && note.length <= limits.textCharsMax ? note : undefined;
}
