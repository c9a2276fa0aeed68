/** `review resolve` and `inbox resolve`: resolve a delivery or a flag, with a note that says why. */
import { addSeconds } from '../domain/time.ts';
import { resolveOld } from '../use-cases/maintenance/resolve-old.ts';
import { resolveReview } from '../use-cases/maintenance/resolve-review.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { readDuration } from './duration.ts';

export const reviewResolve: Command = {
  name: ['review', 'resolve'],
  usage: 'review resolve ID --note TEXT [--json]',
  parse: parseOne,
};

export const inboxResolve: Command = {
  name: ['inbox', 'resolve'],
  usage:
    'inbox resolve ID --note TEXT | inbox resolve --state dead|needs_review --older-than 7d [--account ID] --note TEXT [--json]',
  parse: (words) =>
    words.some((word) => word.startsWith('--state')) ? parseMany(words) : parseOne(words),
};

const text = { type: 'string' } as const;

function parseOne(words: readonly string[]): ReturnType<Command['parse']> {
  const options = { note: text, ...jsonOption } as const;
  const { values, positionals } = readWords(words, options, ['the id of a delivery or a flag']);
  const [id = ''] = positionals;
  const note = readNote(values.note);
  return {
    json: values.json,
    run: async (services) => {
      const resolved = await resolveReview(services, { id, note, actor: 'cli' });
      if ('refusal' in resolved) throw new UsageError(resolved.refusal);
      return {
        id,
        kind: resolved.kind,
        resolved_at: resolved.at.toISOString(),
        note: resolved.note,
        resolved_deliveries: resolved.deliveryIds,
      };
    },
  };
}

/** The age is required, so that nobody resolves by mistake what has just arrived. */
function parseMany(words: readonly string[]): ReturnType<Command['parse']> {
  const options = {
    state: text,
    'older-than': text,
    account: text,
    note: text,
    ...jsonOption,
  } as const;
  const { values } = readWords(words, options);
  const { state, account: accountId, 'older-than': age } = values;
  if (state !== 'dead' && state !== 'needs_review') {
    throw new UsageError('--state must be dead or needs_review.');
  }
  if (age === undefined) throw new UsageError('Say since when with --older-than, such as 7d.');
  const ageSeconds = readDuration('--older-than', age);
  const note = readNote(values.note);
  return {
    json: values.json,
    run: async (services) => {
      if (accountId !== undefined && !(await services.accounts.find(accountId))) {
        throw new UsageError(`There is no account ${accountId}.`);
      }
      const before = addSeconds(services.clock(), -ageSeconds);
      const request = { state, before, accountId, note, actor: 'cli' } as const;
      const outcome = await resolveOld(services, request);
      if ('refusal' in outcome) throw new UsageError(outcome.refusal);
      return {
        state,
        older_than: before.toISOString(),
        note: outcome.note,
        resolved: outcome.resolved,
      };
    },
  };
}

function readNote(note: string | undefined): string {
  if (note === undefined) throw new UsageError('Say why with --note TEXT.');
  return note;
}
