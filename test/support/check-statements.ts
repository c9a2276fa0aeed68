/**
 * At the end of a test run: every statement of src/store that the run sent keeps the rules of statement-rules.ts, and
 * after a run of all tests every statement was sent.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import type { RecordedStatement } from './record-statements.ts';
import { type Analyser, openAnalyser } from './statement-facts.ts';
import { findBrokenRules } from './statement-rules.ts';

/**
 * Reads that break the letter of a rule and that Citus runs where the rows are: decision 0056 says why each is kept. They
 * are known by how they begin.
 */
const exceptions = [
  'select e.account_id as "accountId", e.endpoint_id as "endpointId" from endpoints e where e.disabled_reason is null and exists',
  'select count(*) as count, min(occurred_at) as oldest_at from (select d.occurred_at from endpoints e',
  "select distinct on (entry ->> 'transactionId', change ->> 0)",
];

function isException(text: string): boolean {
  const line = text.trim().replace(/\s+/g, ' ');
  return exceptions.some((beginning) => line.startsWith(beginning));
}

const store = new URL('../../src/store/', import.meta.url).pathname;

/** The findings, one text each. */
export async function checkStatements(
  folder: string,
  address: ClientConfig,
  { isWholeRun }: { readonly isWholeRun: boolean },
): Promise<string[]> {
  const statements = readRecorded(folder);
  const analyser = await openAnalyser(address);
  const findings: string[] = [];
  try {
    for (const statement of statements)
      findings.push(...(await checkStatement(analyser, statement)));
  } finally {
    await analyser.close();
  }
  return isWholeRun ? [...findings, ...findUnsent(statements)] : findings;
}

/** Its statements belong to earlier schemas; test/store/upkeep/migration-rules.test.ts judges them. */
const migrations = 'upkeep/migrate.ts:';

async function checkStatement(
  { analyse, facts }: Analyser,
  { text, sites }: RecordedStatement,
): Promise<string[]> {
  const isMigration = sites.some((site) => site.startsWith(migrations));
  if (isMigration || isException(text)) return [];
  const place = sites.map((site) => `src/store/${site}`).join(', ');
  try {
    const tree = await analyse(text);
    const broken = tree ? findBrokenRules(tree, facts) : [];
    return broken.map((sentence) => `${place} ${sentence}:\n${text}`);
  } catch (error) {
    return [`${place} cannot be analysed (${(error as Error).message}):\n${text}`];
  }
}

/** Each text once, with the places of all processes. */
function readRecorded(folder: string): RecordedStatement[] {
  const byText = new Map<string, Set<string>>();
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')) {
      const { text, sites } = JSON.parse(line) as RecordedStatement;
      byText.set(text, new Set([...(byText.get(text) ?? []), ...sites]));
    }
  }
  return [...byText].map(([text, sites]) => ({ text, sites: [...sites] }));
}

/** Runs on a Citus cluster alone, so `npm run test:citus` tests it. */
const elsewhere = ['upkeep/distribute.ts'];
/** They send the statements of other files; those that call them are the places of statements. */
const senders = ['per-account.ts', 'query.ts'];
const calls =
  /\.query\b(?!_|\.ts)|(?<!function )\b(queryPerAccount|listRows|findRow|listValues|findValue|countChanges|changesOne|execute|insertAll)\b\s*[<(]/;

function findUnsent(statements: readonly RecordedStatement[]): string[] {
  const sent = new Set(statements.flatMap(({ sites }) => sites));
  const files = globSync('**/*.ts', { cwd: store });
  return files
    .filter((file) => ![...elsewhere, ...senders].includes(file))
    .flatMap(placesIn)
    .filter((place) => !sent.has(place))
    .map((place) => `no test sends the statement of src/store/${place}`);
}

function placesIn(file: string): string[] {
  const lines = readFileSync(join(store, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => (calls.test(line) ? [`${file}:${index + 1}`] : []));
}
