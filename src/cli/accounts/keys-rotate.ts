/** `keys rotate`: creates a new key for signing tokens, or seals everything with a new master key. */
import { commandLine } from '../../domain/audit.ts';
import { rotatingMasterKey } from '../../embedded-postgres/master-key-file.ts';
import type { Services } from '../../services/services.ts';
import { rewrapSecrets, rotateSigningKey } from '../../use-cases/accounts/rotate-keys.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { overlapOption, readOverlap } from './overlap-option.ts';

export const keysRotate = defineCommand({
  name: ['keys', 'rotate'],
  summary: 'Replace the signing key or the master key.',
  description:
    'With "signing", tokens are signed with a new key; those of the former key stay valid during the overlap. With "master", every stored secret is encrypted with a new master key, and the signing key is replaced too.',
  arguments: [
    {
      name: 'KEY',
      phrase: 'signing or master',
      text: 'signing, the key of tokens; or master, the key of stored secrets.',
    },
  ],
  options: overlapOption,
  examples: ['keys rotate signing --overlap 24h', 'keys rotate master'],
  prepare: ({ values, positionals: [kind = ''] }) => {
    const overlapSeconds = readOverlap(values.overlap);
    if (kind !== 'signing' && kind !== 'master')
      throw new UsageError('The kind of key must be signing or master.');
    return {
      run: async (services, { masterKeyHex, dataDir }) => {
        const rotate = async () => {
          const rewrapped =
            kind === 'master' ? { secrets: await rewrapSecrets(services, commandLine) } : {};
          return { ...rewrapped, ...(await rotateSigning(services, overlapSeconds)) };
        };
        // With MASTER_KEY the operator has set the new key already; in the embedded mode it is generated here.
        const makesKey = kind === 'master' && masterKeyHex === undefined;
        if (!makesKey) return rotate();
        return rotatingMasterKey(dataDir, async () => {
          await services.masterKeys.learn(['the one just made']);
          return rotate();
        });
      },
    };
  },
});

async function rotateSigning(services: Services, overlapSeconds: number) {
  const { keyId, oldValidUntil } = await rotateSigningKey(services, overlapSeconds, commandLine);
  return {
    master_key_id: services.masterKeys.current().id,
    signing_key_id: keyId,
    old_valid_until: oldValidUntil.toISOString(),
  };
}
