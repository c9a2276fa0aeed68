/** `review resolve` and `inbox resolve`: resolve a delivery or a flag, with a note that says why. */
import { commandLine } from '../../domain/audit.ts';
import { addSeconds } from '../../domain/time.ts';
import { resolveOld, resolveReview } from '../../use-cases/review/resolve-review.ts';
import {
  type ArgumentSpec,
  defineCommand,
  type Prepared,
  RefusedError,
  UsageError,
  type ValueSpec,
} from '../framework/command.ts';
import { accountOption, checkAccount, readDuration } from '../framework/common-options.ts';

const noteOption = {
  note: {
    type: 'string',
    value: 'TEXT',
    text: 'Why it is resolved, 1 to 1,024 characters. It is stored in the audit log.',
    isRequired: true,
  },
} as const satisfies Record<string, ValueSpec>;

const idArgument = {
  name: 'ID',
  phrase: 'the id of a delivery or a flag',
  text: 'The delivery or flag, as "review list" prints it.',
} as const satisfies ArgumentSpec;

export const reviewResolve = defineCommand({
  name: ['review', 'resolve'],
  summary: 'Close a delivery or a flag with a note.',
  description: 'Closes a delivery or a flag, so that it is no longer listed.',
  arguments: [idArgument],
  options: noteOption,
  examples: [
    'review resolve acc_…/o_…:over_refunded --note "settled with the bank"',
    'review resolve dlv_… --note "payment of another shop"',
  ],
  prepare: ({ values, positionals: [id = ''] }) => resolveOne(id, values.note),
});

export const inboxResolve = defineCommand({
  name: ['inbox', 'resolve'],
  summary: 'Close a delivery, or old ones of a state, with a note.',
  description:
    'Closes one delivery or flag by its id. With --state it closes all deliveries that have been in this state for longer than --older-than.',
  arguments: [{ ...idArgument, isOptional: true }],
  options: {
    state: { type: 'string', value: 'STATE', text: 'The state: dead or needs_review.' },
    'older-than': {
      type: 'string',
      value: 'DURATION',
      text: 'The least time in that state, such as 12h or 7d. Needed with --state.',
    },
    ...accountOption,
    ...noteOption,
  },
  examples: [
    'inbox resolve dlv_… --note "payment of another shop"',
    'inbox resolve --state dead --older-than 7d --note "other shops"',
  ],
  prepare: ({ values, positionals: [id] }) => {
    const { state, 'older-than': age, account } = values;
    if (state !== undefined && id === undefined) return resolveMany({ ...values, state });
    if (id === undefined || state !== undefined || age !== undefined || account !== undefined) {
      throw new UsageError('Give the id of a delivery or a flag, or --state and --older-than.');
    }
    return resolveOne(id, values.note);
  },
});

function resolveOne(id: string, note: string): Prepared {
  return {
    run: async (services) => {
      const resolved = await resolveReview(services, { id, note, actor: commandLine });
      if ('refusal' in resolved) throw new RefusedError(resolved.refusal);
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

type ManyWords = {
  readonly state: string;
  readonly 'older-than': string | undefined;
  readonly account: string | undefined;
  readonly note: string;
};

/** The age is required, so that nobody resolves by mistake what has just arrived. */
function resolveMany({ state, 'older-than': age, account: accountId, note }: ManyWords): Prepared {
  if (state !== 'dead' && state !== 'needs_review') {
    throw new UsageError('--state must be dead or needs_review.');
  }
  if (age === undefined) throw new UsageError('Say since when with --older-than, such as 7d.');
  const ageSeconds = readDuration('--older-than', age);
  return {
    run: async (services) => {
      await checkAccount(services, accountId);
      const before = addSeconds(services.clock(), -ageSeconds);
      const request = { state, before, accountId, note, actor: commandLine } as const;
      const outcome = await resolveOld(services, request);
      if ('refusal' in outcome) throw new RefusedError(outcome.refusal);
      return {
        state,
        older_than: before.toISOString(),
        note: outcome.note,
        resolved: outcome.resolved,
      };
    },
  };
}
