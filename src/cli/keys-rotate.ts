/** `keys rotate`: new keys for signing tokens, or a new master key for everything. */
import { addMasterKey, readOrCreateMasterKeys } from '../store/embedded/data-folder.ts';
import { rewrapSecrets, rotateSigningKey } from '../use-cases/rotate-keys.ts';
import type { Services } from '../use-cases/services.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { readOverlap } from './overlap.ts';

export const keysRotate: Command = {
  name: ['keys', 'rotate'],
  usage: 'keys rotate signing|master [--overlap 24h] [--json]',
  parse: (words) => {
    const options = { overlap: { type: 'string' }, ...jsonOption } as const;
    const { values, positionals } = readWords(words, options, ['signing or master']);
    const overlapSeconds = readOverlap(values.overlap ?? '24h');
    const [kind = ''] = positionals;
    if (kind !== 'signing' && kind !== 'master') throw new UsageError('Rotate signing or master.');
    return {
      json: values.json,
      run: async (services, config) => {
        if (kind === 'master' && config.masterKeyHex === undefined) {
          await makeMasterKey(services, config.dataDir);
        }
        const rewrapped = kind === 'master' ? { secrets: await rewrapSecrets(services) } : {};
        const { keyId, oldValidUntil } = await rotateSigningKey(services, overlapSeconds);
        return {
          ...rewrapped,
          master_key_id: services.masterKeys.current().id,
          signing_key_id: keyId,
          old_valid_until: oldValidUntil.toISOString(),
        };
      },
    };
  },
};

/** In the embedded mode the service makes the key itself; elsewhere the operator gives MASTER_KEY. */
async function makeMasterKey({ masterKeys }: Services, dataDir: string): Promise<void> {
  const keys = await addMasterKey(dataDir, await readOrCreateMasterKeys(dataDir));
  await masterKeys.learn(['the one just made']);
  if (keys.length < 2) throw new Error('the former master key is gone');
}
