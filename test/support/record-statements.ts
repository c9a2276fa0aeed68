/**
 * Records the statements of src/store that a test run sends, for the check at its end (check-statements.ts). Loaded
 * into each process of the run by `--import`, it puts `recorded-database.ts` in place of `src/postgres/database.ts`, so
 * that services, commands and tests all get a database that records.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { Database, Queryable, Statement } from '../../src/postgres/database.ts';
import { folderVariable } from './run-variables.ts';

export type RecordedStatement = {
  readonly text: string;
  /** The lines of src/store that sent it, innermost first: `orders/orders.ts:46`. */
  readonly sites: readonly string[];
};

const original = new URL('../../src/postgres/database.ts', import.meta.url).href;
const recorded = new URL('recorded-database.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const isOurs = context.parentURL === recorded;
    return resolved.url === original && !isOurs ? { ...resolved, url: recorded } : resolved;
  },
});

export function recordStatements(database: Database): Database {
  const queryOf =
    ({ query }: Queryable): Queryable['query'] =>
    (statement) => {
      // One server takes one statement for all accounts; the rules are for what a cluster gets.
      for (const sent of statement.perAccount?.() ?? [statement]) record(sent);
      return query(statement);
    };
  const recording = <Handle extends Queryable>(handle: Handle): Handle => ({
    ...handle,
    query: queryOf(handle),
  });
  return {
    ...recording(database),
    pipelined: (work) => database.pipelined((connection) => work(recording(connection))),
    transaction: (work, afterCommit) =>
      database.transaction(
        (tx) => work(recording(tx)),
        afterCommit && ((result, connection) => afterCommit(result, recording(connection))),
      ),
  };
}

/** How often each text was seen. Equal texts may come from several places, but looking at the stack takes time. */
const seen = new Map<string, number>();
const looksMax = 200;
const written = new Set<string>();

function record({ text }: Statement): void {
  const folder = process.env[folderVariable];
  const looks = seen.get(text) ?? 0;
  if (folder === undefined || looks >= looksMax) return;
  seen.set(text, looks + 1);
  const sites = storeSites();
  if (sites.length === 0) return;
  const line = JSON.stringify({ text, sites } satisfies RecordedStatement);
  if (written.has(line)) return;
  written.add(line);
  appendFileSync(`${folder}/${process.pid}`, `${line}\n`);
}

/** Empty for a statement that a test or a library sends itself. */
function storeSites(): string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 12;
  const { stack = '' } = new Error('to see the stack');
  Error.stackTraceLimit = limit;
  const frames = stack.split('\n').slice(1);
  const callers = frames.filter((frame) => !frame.includes(import.meta.filename));
  const first = callers.findIndex((frame) => !inStore.test(frame) && !isBuiltIn.test(frame));
  const own = first < 0 ? callers : callers.slice(0, first);
  return own.flatMap((frame) => inStore.exec(frame)?.[1] ?? []);
}

const inStore = /\/src\/store\/([\w/-]+\.ts:\d+):\d+/;
/** Such as `Array.map`. */
const isBuiltIn = /\((<anonymous>|node:[^)]*)\)$/;
