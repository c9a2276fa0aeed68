/** Says in one sentence why the database of DATABASE_URL cannot be used, and what to do. */
import { StartError } from '../domain/start-error.ts';
import { hostsOf } from '../postgres/address.ts';
import { isUnavailable } from '../postgres/error-classes.ts';
import type { Config } from './config.ts';

const sentences: Readonly<Record<string, string>> = {
  ERR_INVALID_URL:
    'DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/database, special characters percent-encoded.',
  // No schema of the search path exists.
  '3F000':
    'The schema of DATABASE_URL does not exist: create it, or correct search_path in the options of the URL.',
  // While a migration waits for a table, all requests to it wait behind the migration, so it gives up first.
  '55P03':
    'Another transaction uses a table for too long, such as a backup, a report or a second migration, so nothing was migrated: run it again when that has ended.',
};

export function explainUnusable(config: Config, error: unknown): unknown {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (config.databaseUrl === undefined || error instanceof StartError) return error;
  const code = String((reason as { code?: unknown }).code);
  const sentence = sentences[code];
  if (sentence !== undefined) return new StartError(sentence);
  if (code === '42501') {
    return new StartError(
      `The role of DATABASE_URL lacks a right (${(reason as Error).message}): it needs to create tables in its schema, and schemas in its database, or with MIGRATE=no to read and write the tables; see docs/deploy.md.`,
    );
  }
  const isRefused = /^(28|3D)/.test(code);
  if (!isRefused && !isUnavailable(reason)) return error;
  const hosts = hostsOf(config.databaseUrl) ?? 'its address';
  const why = reason instanceof AggregateError ? reason.errors[0] : reason;
  return new StartError(
    `The database of DATABASE_URL at ${hosts} cannot be used (${(why as Error).message}): check that it runs and that the URL is right.`,
  );
}
