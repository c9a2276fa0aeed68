/** Commands that list rows page by page. */
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import {
  type Command,
  defineCommand,
  type OptionSpecs,
  type OptionValues,
  UsageError,
  type ValueSpec,
} from './command.ts';
import { accountOption, checkAccount, readSince, sinceOption } from './common-options.ts';
import { type Column, renderTable } from './table.ts';

type Page = {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly since: Date | undefined;
  readonly after: string | undefined;
  readonly limit: number;
  readonly effort: typeof effort;
};

type List<Specs extends OptionSpecs, Row> = Pick<
  Command,
  'name' | 'summary' | 'description' | 'examples'
> & {
  /** The options of this list alone: every list has `--account`, `--since`, `--limit` and `--after`. */
  readonly options: Specs;
  /** The text of `--since`. */
  readonly since: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  /** The name of the rows in JSON. */
  readonly rows: string;
  /** Validates the options before the database is opened, and returns what reads a page. */
  readonly prepare: (
    values: OptionValues<Specs> & { readonly after: string | undefined },
  ) => (
    services: Services,
    page: Page,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next?: string | undefined }>;
};

export function defineList<const Specs extends OptionSpecs, Row extends object>(
  list: List<Specs, Row>,
): Command {
  const { options, since, columns, rows: rowsName, prepare, ...described } = list;
  return defineCommand({
    ...described,
    options: {
      ...accountOption,
      ...options,
      ...sinceOption(since),
      limit: {
        value: 'N',
        text: `The most rows to print, from 1 to ${limitMax}. ${usualLimit} unless given.`,
      },
      after: options.after ?? {
        value: 'ID',
        text: 'Continue behind the row where the last page ended.',
      },
    },
    read: ({ values }) => {
      const { account: accountId, after, limit, since: sinceText } = values as OptionValues<Common>;
      const readPage = prepare(values as never);
      const sinceAt = readSince(sinceText);
      return { readPage, sinceAt, page: { accountId, after, limit: readLimit(limit) } };
    },
    run: async (services, { readPage, sinceAt, page }) => {
      await checkAccount(services, page.accountId);
      const { rows, next } = await readPage(services, {
        ...page,
        effort,
        since: sinceAt(services.clock()),
      });
      const outcome: Outcome = { [rowsName]: rows, ...(next !== undefined && { next }) };
      return outcome;
    },
    render: ({ [rowsName]: rows, next }, screen) => {
      const table = renderTable(rows as readonly Row[], columns, screen);
      return next === undefined ? table : `${table}\n\nThere are more: add --after ${next}`;
    },
  });
}

type Outcome = { readonly next?: string; readonly [rowsName: string]: unknown };
type Common = Record<'account' | 'after' | 'limit' | 'since', ValueSpec>;

const usualLimit = 100;
const limitMax = 1_000;

function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw new UsageError(`--limit must be from 1 to ${limitMax}.`);
  return limit;
}

/** Nobody waits for a command as for a page of the dashboard, so it has no limit of time. */
const effort = { lookedAtMax: 20_000, msMax: Number.POSITIVE_INFINITY };

/** The accounts to list; all unless one is named. */
export async function listScope({ database }: Services, { accountId }: Page) {
  return accountId === undefined ? listAccountIds(database) : [accountId];
}
