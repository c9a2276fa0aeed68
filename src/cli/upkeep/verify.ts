/** `verify`: checks the invariants on the live database. Progress names the cursor from which `--after` continues. */
import { isAccountId } from '../../domain/ids.ts';
import {
  findCursor,
  type Verified,
  type VerifyProgress,
  verifyInvariants,
} from '../../use-cases/upkeep/verify-invariants.ts';
import { defineCommand, UsageError } from '../framework/command.ts';

export const verify = defineCommand({
  name: ['verify'],
  summary: 'Check that the stored data is consistent.',
  description:
    'Checks the invariants of the contract on the live database, and prints what was checked and each breach. The exit status is 1 for a breach, and for a check that was interrupted. Progress goes to standard error.',
  options: {
    after: { value: 'PLACE', text: 'Continue at the place that an earlier run printed.' },
    account: { value: 'ID', text: 'Check only this account.' },
  },
  examples: ['verify', 'verify --account acc_… --json'],
  read: ({ values: { after, account } }) => {
    const cursor = after === undefined ? undefined : findCursor(after);
    if (after !== undefined && !cursor) {
      throw new UsageError('--after takes the place that an earlier run of verify printed.');
    }
    if (account !== undefined && !isAccountId(account)) {
      throw new UsageError('--account takes an account id.');
    }
    return { after: cursor, accountId: account };
  },
  run: async (services, scope, { warn }) => {
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    for (const signal of signals) process.once(signal, interrupt);
    const progress = createProgress(warn);
    try {
      const verified = await verifyInvariants(services, {
        ...scope,
        onPage: progress.note,
        onBreach: ({ where, what }) => warn(`broken: ${where}: ${what}`),
        signal: interrupted.signal,
      });
      if (verified.next !== null) warn(`Interrupted. ${continueWith(verified.next)}`);
      return verified;
    } catch (error) {
      const cursor = progress.cursor();
      if (cursor !== undefined) warn(`Failed. ${continueWith(cursor)}`);
      throw error;
    } finally {
      for (const signal of signals) process.off(signal, interrupt);
    }
  },
  render: renderVerified,
  isFailure: ({ breaches, next }) => breaches.length > 0 || next !== null,
});

const signals = ['SIGINT', 'SIGTERM'] as const;

function renderVerified(verified: Verified): string {
  const { orders, transactions, checked, found, breaches, pruned, next } = verified;
  const lines = checked.map((invariant) => {
    const count = found[invariant] ?? 0;
    const own = breaches.filter((breach) => breach.invariant === invariant);
    const lost = own.map(({ where, what }) => `\n    ${where}: ${what}`);
    if (own.length < count) lost.push(`\n    and ${count - own.length} more`);
    return `${count === 0 ? 'holds ' : 'BROKEN'}  ${invariant}${lost.join('')}`;
  });
  const summary = [`${orders} orders and ${transactions} transactions checked`];
  if (pruned.inboxes > 0) summary.push(`${pruned.inboxes} not folded: bodies were pruned by age`);
  if (pruned.histories > 0)
    summary.push(`${pruned.histories} not replayed: history was pruned by age`);
  if (next !== null) summary.push(`interrupted: the rest is checked by verify --after ${next}`);
  return [...lines, '', ...summary].join('\n');
}

const progressMs = 3_000;

/** Prints a line every few seconds. The speed is that of the table at hand since its first page. */
export function createProgress(
  print: (text: string) => void,
  clockMs: () => number = () => performance.now(),
) {
  let current: VerifyProgress | undefined;
  let tableStartedMs = clockMs();
  let printedMs = tableStartedMs;
  return {
    cursor: () => current?.cursor,
    note: (page: VerifyProgress) => {
      const nowMs = clockMs();
      if (current && page.table !== current.table) tableStartedMs = nowMs;
      current = page;
      if (nowMs - printedMs < progressMs) return;
      printedMs = nowMs;
      print(describeProgress(page, nowMs - tableStartedMs));
    },
  };
}

function describeProgress({ table, rows, breaches, cursor }: VerifyProgress, ms: number): string {
  const perSecond = Math.round((1_000 * rows) / Math.max(ms, 1));
  return `${table}: ${rows} checked, ${perSecond} a second, ${breaches} breaches. ${continueWith(cursor)}`;
}

function continueWith(cursor: string): string {
  return `Continue with: verify --after ${cursor}`;
}
