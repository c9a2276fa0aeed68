/** `review resolve` and `inbox resolve`: resolve a delivery or a flag, with a note that says why. */
import { resolveReview } from '../use-cases/maintenance/resolve-review.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';

export const reviewResolve = resolveCommand('review');
export const inboxResolve = resolveCommand('inbox');

function resolveCommand(subject: 'review' | 'inbox'): Command {
  return {
    name: [subject, 'resolve'],
    usage: `${subject} resolve ID --note TEXT [--json]`,
    parse: (words) => {
      const options = { note: { type: 'string' }, ...jsonOption } as const;
      const { values, positionals } = readWords(words, options, ['the id of a delivery or a flag']);
      const [id = ''] = positionals;
      const { note } = values;
      if (note === undefined) throw new UsageError('Say why with --note TEXT.');
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
    },
  };
}
