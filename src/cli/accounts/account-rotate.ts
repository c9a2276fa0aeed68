/** `account rotate`: creates a new secret; the old one stays valid during an overlap. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import { commandLine } from '../../domain/audit.ts';
import { listRotatableSecretKinds } from '../../providers/account-settings.ts';
import { rotateSecret } from '../../use-cases/accounts/rotate-secret.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';
import { printedName } from '../framework/render.ts';
import { overlapOption, readOverlap } from './overlap-option.ts';
import { readSecret } from './provider-options.ts';

const secretKinds = listRotatableSecretKinds();

export const accountRotate = defineCommand({
  name: ['account', 'rotate'],
  summary: 'Replace a secret of an account.',
  description:
    'Creates a new secret, or stores the one of --value, and prints it this once. The former secret stays valid during the overlap.',
  arguments: [
    accountArgument,
    {
      name: 'SECRET',
      phrase: 'the kind of secret',
      text: `The kind of secret: ${secretKinds.join(', ')}.`,
    },
  ],
  options: {
    ...overlapOption,
    value: {
      type: 'string',
      value: 'SECRET|-',
      text: 'The secret, if the provider generates it. With - it is read from standard input.',
    },
  },
  examples: [
    'account rotate acc_… access-secret',
    'account rotate acc_… access-secret --overlap 0s',
    `account rotate acc_… ${secretKinds.at(-1)} --value - < secret`,
  ],
  prepare: ({ values, positionals: [accountId = '', kindText = ''] }) => {
    const kind = readKind(kindText);
    const overlapSeconds = readOverlap(values.overlap);
    const given = readSecret(values.value);
    return {
      run: async (services) => {
        const rotated = await rotateSecret(
          services,
          accountId,
          kind,
          overlapSeconds,
          commandLine,
          given,
        );
        return {
          account_id: rotated.accountId,
          [printedName(kind)]: rotated.secret,
          old_valid_until: rotated.oldValidUntil.toISOString(),
        };
      },
    };
  },
});

function readKind(text: string): SecretKind {
  const kind = secretKinds.find((known) => known === text);
  if (!kind) throw new UsageError(`The kind of secret must be one of ${secretKinds.join(', ')}.`);
  return kind;
}
