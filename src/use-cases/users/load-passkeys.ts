/**
 * Loads what verifies passkeys when one is first used: it takes 27 MB and a quarter of a second, and many installations
 * never use one.
 */
export function loadPasskeys(): Promise<typeof import('../../security/passkeys.ts')> {
  return import('../../security/passkeys.ts');
}
