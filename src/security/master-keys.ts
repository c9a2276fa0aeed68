/**
 * All master keys of this process: the current one and, during a rotation, the others that stored secrets may still be
 * sealed with.
 */
import { createMasterKey, type MasterKey } from './master-key.ts';

export type MasterKeys = {
  /** The key that seals new secrets. */
  readonly current: () => MasterKey;
  readonly find: (id: string) => MasterKey | undefined;
  /** Reads the keys again when one of these ids is unknown. */
  readonly learn: (ids: readonly string[]) => Promise<void>;
};

/** The first key is the current one. `readAgain` is for keys that can change while the process runs. */
export function createMasterKeys(
  hexes: readonly string[],
  readAgain: () => Promise<readonly string[]> = async () => hexes,
): MasterKeys {
  let keys = hexes.map(createMasterKey);
  const find = (id: string) => keys.find((key) => key.id === id);
  return {
    current: () => {
      const [current] = keys;
      if (!current) throw new Error('there is no master key');
      return current;
    },
    find,
    learn: async (ids) => {
      if (ids.every((id) => find(id) !== undefined)) return;
      keys = (await readAgain()).map(createMasterKey);
    },
  };
}
