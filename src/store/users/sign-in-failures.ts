/**
 * Failed sign-ins, counted for an e-mail address, for an address on the network, and for what a user is known by. A row
 * of the last kind (`known:…`) is made by a success, with no failure.
 */
import type { Failures } from '../../domain/users/back-off.ts';
import type { Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { changesOne, execute, findRow, findValue } from '../query.ts';

/**
 * The lock ends the race of many guesses at a time: each sees the failures of those before it. Undefined if there was
 * none before.
 */
export async function lockFailures(tx: Transaction, subject: string, now: Date) {
  const isFirst = await changesOne(tx, [subject, now])`
    insert into sign_in_failures (subject, failures, last_failed_at, blocked_until)
    values ($1, 0, $2, $2) on conflict (subject) do nothing`;
  if (isFirst) return undefined;
  return findRow<Failures>(tx, [subject])`
    select ${columnsOf('failures, lastFailedAt, blockedUntil')}
      from sign_in_failures where subject = $1 for update`;
}

export async function saveFailures(
  tx: Transaction,
  subject: string,
  { failures, lastFailedAt, blockedUntil }: Failures,
) {
  await execute(tx, [subject, failures, lastFailedAt, blockedUntil])`
    update sign_in_failures set failures = $2, last_failed_at = $3, blocked_until = $4
     where subject = $1`;
}

/** Takes back one failure, and what it blocked. */
export async function takeBackFailure(tx: Transaction, subject: string, now: Date) {
  await execute(tx, [subject, now])`
    update sign_in_failures set failures = greatest(failures - 1, 0), blocked_until = $2
     where subject = $1`;
}

export async function deleteFailures(tx: Transaction, subject: string) {
  await execute(tx, [subject])`delete from sign_in_failures where subject = $1`;
}

/** All whose subject begins like this. */
export async function deleteFailuresBelow(tx: Transaction, beginning: string) {
  await execute(tx, [beginning])`delete from sign_in_failures where starts_with(subject, $1)`;
}

/** The first of the subjects that has a row, used since then. */
export function findFirstSubject(tx: Transaction, subjects: readonly string[], since: Date) {
  return findValue<string>(tx, [subjects, since])`
    select subject from sign_in_failures
     where subject = any($1::text[]) and last_failed_at > $2
     order by array_position($1::text[], subject) limit 1`;
}
