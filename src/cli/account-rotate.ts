/** `account rotate`: creates a new secret; the old one stays valid during an overlap. */
import { listRotatableSecretKinds } from '../providers/account-settings.ts';
import { type RotatableSecretKind, rotateSecret } from '../use-cases/accounts/rotate-secret.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { readDuration } from './duration.ts';
import { printedName } from './render.ts';

const secretKinds = listRotatableSecretKinds();

export const accountRotate: Command = {
  name: ['account', 'rotate'],
  usage: `account rotate ID ${secretKinds.join('|')} [--overlap 24h] [--json]`,
  parse: (words) => {
    const options = { overlap: { type: 'string' }, ...jsonOption } as const;
    const { values, positionals } = readWords(words, options, [
      'an account id',
      'the kind of secret',
    ]);
    const [accountId = '', kindText = ''] = positionals;
    const kind = readKind(kindText);
    const overlapSeconds = readDuration('--overlap', values.overlap ?? '24h');
    return {
      json: values.json,
      run: async (services) => {
        const rotated = await rotateSecret(services, accountId, kind, overlapSeconds);
        return {
          account_id: rotated.accountId,
          [printedName(kind)]: rotated.secret,
          old_valid_until: rotated.oldValidUntil.toISOString(),
        };
      },
    };
  },
};

function readKind(text: string): RotatableSecretKind {
  const kind = secretKinds.find((known) => known === text);
  if (!kind) throw new UsageError(`The kind of secret must be one of ${secretKinds.join(', ')}.`);
  return kind;
}
