/** Arguments and options that several commands have, and how they are read. */
import { isOrderId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import {
  type ArgumentSpec,
  type OptionSpecs,
  RefusedError,
  UsageError,
  type ValueSpec,
} from './command.ts';

export const accountArgument = {
  name: 'ACCOUNT_ID',
  phrase: 'an account id',
  text: 'The account, such as acc_4f9KxQ2mPz7LbT1c.',
} as const satisfies ArgumentSpec;

export const orderArgument = {
  name: 'ORDER',
  phrase: 'an order id or an invoice',
  text: 'The order id, or the invoice of the shop.',
} as const satisfies ArgumentSpec;

export const deliveryArgument = {
  name: 'DELIVERY_ID',
  phrase: 'a delivery id',
  text: 'The delivery, as "inbox list" prints it.',
} as const satisfies ArgumentSpec;

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a duration, such as `90s`, `30m`, `24h` or `15d`. */
export function readDuration(option: string, text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (!match) throw new UsageError(`${option} must be a number with s, m, h or d, such as 24h.`);
  return Number(match[1]) * (secondsPerUnit[match[2] ?? ''] ?? 0);
}

export const overlapOption = {
  overlap: {
    value: 'DURATION',
    text: 'How long the former one stays valid, such as 90s, 30m, 24h or 15d. 24h unless given.',
  },
} as const satisfies OptionSpecs;

export function readOverlap(text: string | undefined): number {
  return readDuration('--overlap', text ?? '24h');
}

export const accountOption = {
  account: { value: 'ID', text: 'Only this account.' },
} as const satisfies OptionSpecs;

export const orderOption = {
  order: { value: 'ID', text: 'Only those of this order.' },
} as const satisfies OptionSpecs;

export function readOrderId(text: string | undefined): string | undefined {
  if (text === undefined || isOrderId(text)) return text;
  throw new UsageError('--order must be an order id, such as "order list" prints.');
}

/** An option that takes one of some words. */
export function choiceOption<const Word extends string>(
  value: string,
  what: string,
  words: readonly Word[],
) {
  return { value, words, text: `${what}: ${words.join(', ')}.` } as const;
}

export function sinceOption(what: string): { readonly since: ValueSpec } {
  return {
    since: {
      value: 'TIME',
      text: `${what} A duration such as 30m or 24h, or a time such as 2026-11-16T10:00Z.`,
    },
  };
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

export async function checkAccount(
  { accounts }: Pick<Services, 'accounts'>,
  accountId: string | undefined,
): Promise<void> {
  if (accountId !== undefined && !(await accounts.find(accountId))) {
    throw new RefusedError(`There is no account ${accountId}.`);
  }
}
