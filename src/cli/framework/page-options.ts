/** The options of every list: which account, since when, how many rows, and after which row. */
import { isOrderId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { findTextOrder } from '../../store/text-order.ts';
import { type OptionSpecs, RefusedError, UsageError, type ValueSpec } from './command.ts';
import { readDuration } from './duration.ts';

export const accountOption = {
  account: { type: 'string', value: 'ID', text: 'Only this account.' },
} as const satisfies OptionSpecs;

export const orderOption = {
  order: { type: 'string', value: 'ID', text: 'Only those of this order.' },
} as const satisfies OptionSpecs;

export function readOrderId(text: string | undefined): string | undefined {
  if (text === undefined || isOrderId(text)) return text;
  throw new UsageError('--order must be an order id, such as "order list" prints.');
}

const usualLimit = 100;
const limitMax = 1_000;

export const limitOption = {
  limit: {
    type: 'string',
    value: 'N',
    text: `The most rows to print, from 1 to ${limitMax}. ${usualLimit} unless given.`,
  },
} as const satisfies OptionSpecs;

export const afterOption = {
  after: {
    type: 'string',
    value: 'ID',
    text: 'Continue behind the row where the last page ended.',
  },
} as const satisfies OptionSpecs;

export function sinceOption(what: string): { readonly since: ValueSpec } {
  return {
    since: {
      type: 'string',
      value: 'TIME',
      text: `${what} A duration such as 30m or 24h, or a time such as 2026-11-16T10:00Z.`,
    },
  };
}

export function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw new UsageError(`--limit must be from 1 to ${limitMax}.`);
  return limit;
}

/** A duration counts back from the time at which the command runs. */
export function readSince(text: string | undefined): (now: Date) => Date | undefined {
  if (text === undefined) return () => undefined;
  if (/^\d+[smhd]$/.test(text)) {
    const seconds = readDuration('--since', text);
    return (now) => addSeconds(now, -seconds);
  }
  const isTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(
    text,
  );
  // Times are UTC everywhere, so one without a zone is too.
  const time = new Date(/[T ].*(?:Z|[+-]\d\d:\d\d)$|^[\d-]{10}$/.test(text) ? text : `${text}Z`);
  if (!isTime || Number.isNaN(time.getTime())) {
    throw new UsageError(
      '--since must be a duration such as 24h, or a time such as 2026-11-16T10:00Z.',
    );
  }
  return () => time;
}

/** Nobody waits for a command as for a page of the dashboard, so it has no limit of time. */
export const effort = { lookedAtMax: 20_000, msMax: Number.POSITIVE_INFINITY };

/** The accounts to list; all unless one is named. */
export async function openScope(
  { accounts, database }: Services,
  accountId: string | undefined,
  warn: (text: string) => void,
): Promise<readonly string[]> {
  if (accountId !== undefined && !(await accounts.find(accountId))) {
    throw new RefusedError(`There is no account ${accountId}.`);
  }
  const accountIds = accountId === undefined ? await listAccountIds(database) : [accountId];
  if ((await findTextOrder(database)) === 'bytes') return accountIds;
  if (accountIds.length > 1) {
    throw new RefusedError(
      'Give --account ID: the collation of this database does not sort ids by time, so several accounts cannot be listed together.',
    );
  }
  warn('The collation of this database does not sort ids by time: the newest rows are not first.');
  return accountIds;
}
