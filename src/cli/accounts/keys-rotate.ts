/** `keys rotate`: creates a new key for signing tokens, or seals everything with a new master key. */
import { commandLine } from '../../domain/audit.ts';
import { rotatingMasterKey } from '../../embedded-postgres/master-key-file.ts';
import { rewrapSecrets, rotateSigningKey } from '../../use-cases/accounts/rotate-keys.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { overlapOption, readOverlap } from '../framework/common-options.ts';

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
  read: ({ values, positionals: [kind] }) => {
    const overlapSeconds = readOverlap(values.overlap);
    if (kind === 'signing' || kind === 'master') return { kind, overlapSeconds };
    throw new UsageError('The kind of key must be signing or master.');
  },
  run: async (services, { kind, overlapSeconds }, { config: { masterKeyHex, dataDir } }) => {
    const rotateSigning = async () => {
      const rotated = await rotateSigningKey(services, overlapSeconds, commandLine);
      const { keyId: signingKeyId, oldValidUntil } = rotated;
      return { masterKeyId: services.masterKeys.current().id, signingKeyId, oldValidUntil };
    };
    if (kind === 'signing') return rotateSigning();
    const rotateAll = async () => {
      const secrets = await rewrapSecrets(services, commandLine);
      return { secrets, ...(await rotateSigning()) };
    };
    // With MASTER_KEY the operator has set the new key already; in the embedded mode it is generated here.
    if (masterKeyHex !== undefined) return rotateAll();
    return rotatingMasterKey(dataDir, async () => {
      await services.masterKeys.learn(['the one just made']);
      return rotateAll();
    });
  },
});
