/** `keys rotate`: creates a new key for signing tokens, or seals everything with a new master key. */
import { rotatingMasterKey } from '../embedded-postgres/master-key-file.ts';
import type { Services } from '../services/services.ts';
import { rewrapSecrets, rotateSigningKey } from '../use-cases/accounts/rotate-keys.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { readDuration } from './duration.ts';

export const keysRotate: Command = {
  name: ['keys', 'rotate'],
  usage: 'keys rotate signing|master [--overlap 24h] [--json]',
  parse: (words) => {
    const options = { overlap: { type: 'string' }, ...jsonOption } as const;
    const { values, positionals } = readWords(words, options, ['signing or master']);
    const overlapSeconds = readDuration('--overlap', values.overlap ?? '24h');
    const [kind = ''] = positionals;
    if (kind !== 'signing' && kind !== 'master')
      throw new UsageError('The kind of key must be signing or master.');
    return {
      json: values.json,
      run: async (services, { masterKeyHex, dataDir }) => {
        const rotate = async () => {
          const rewrapped = kind === 'master' ? { secrets: await rewrapSecrets(services) } : {};
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
};

async function rotateSigning(services: Services, overlapSeconds: number) {
  const { keyId, oldValidUntil } = await rotateSigningKey(services, overlapSeconds);
  return {
    master_key_id: services.masterKeys.current().id,
    signing_key_id: keyId,
    old_valid_until: oldValidUntil.toISOString(),
  };
}
