/** Commands that list rows: page by page with `defineList`, or all rows as one table. */
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import {
  type Command,
  type Described,
  defineCommand,
  type OptionSpecs,
  type OptionValues,
  UsageError,
} from './command.ts';
import { accountOption, checkAccount, readSince, sinceOption } from './common-options.ts';
import type { Screen } from './screen.ts';
import { type Column, renderTable } from './table.ts';

type Page = {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly since: Date | undefined;
  readonly after: string | undefined;
  readonly limit: number;
};

type List<Specs extends OptionSpecs, Row> = Omit<Described<Specs>, 'options' | 'prepare'> & {
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

export function defineList<const Specs extends OptionSpecs, Row>(list: List<Specs, Row>): Command {
  const { options, since, columns, rows: rowsName, prepare, ...described } = list;
  return defineCommand({
    ...described,
    options: {
      ...accountOption,
      ...options,
      ...sinceOption(since),
      ...limitOption,
      after: options.after ?? afterOption,
    },
    prepare: ({ values }) => {
      const { account, after, limit: limitText, since: sinceText } = values as OptionValues<Common>;
      const readPage = prepare(values as never);
      const sinceAt = readSince(sinceText);
      const limit = readLimit(limitText);
      return {
        run: async (services) => {
          await checkAccount(services, account);
          const page = { accountId: account, since: sinceAt(services.clock()), after, limit };
          const { rows, next } = await readPage(services, page);
          return { [rowsName]: rows, ...(next !== undefined && { next }) };
        },
        render: ({ [rowsName]: rows, next }, screen) =>
          renderList(rows as readonly Row[], columns, next as string | undefined, screen),
      };
    },
  });
}

type Common = Record<
  'account' | 'after' | 'limit' | 'since',
  { type: 'string'; value: string; text: string }
>;

const usualLimit = 100;
const limitMax = 1_000;

const limitOption = {
  limit: {
    type: 'string',
    value: 'N',
    text: `The most rows to print, from 1 to ${limitMax}. ${usualLimit} unless given.`,
  },
} as const satisfies OptionSpecs;

const afterOption = {
  type: 'string',
  value: 'ID',
  text: 'Continue behind the row where the last page ended.',
} as const;

function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw new UsageError(`--limit must be from 1 to ${limitMax}.`);
  return limit;
}

/** Nobody waits for a command as for a page of the dashboard, so it has no limit of time. */
export const effort = { lookedAtMax: 20_000, msMax: Number.POSITIVE_INFINITY };

/** The accounts to list; all unless one is named. */
export async function listScope(
  { database }: Services,
  { accountId }: Page,
): Promise<readonly string[]> {
  return accountId === undefined ? listAccountIds(database) : [accountId];
}

export function renderList<Row>(
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  next: string | undefined,
  screen: Screen,
): string {
  return [
    rows.length === 0 ? 'No rows.' : renderTable(rows, columns, screen),
    ...(next === undefined ? [] : ['', `There are more: add --after ${next}`]),
  ].join('\n');
}
