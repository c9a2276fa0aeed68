/** How far `verify` has come: the last row that was checked. As text it can be pasted into a shell. */
import type { RowKey } from '../../store/upkeep/invariants.ts';

export type VerifyCursor = { readonly table: string; readonly key: RowKey };

export function writeCursor({ table, key }: VerifyCursor): string {
  return [table, ...key].map(escapeText).join('/');
}

/** Undefined for text that is not a cursor. */
export function readCursor(text: string): VerifyCursor | undefined {
  try {
    const [table = '', ...key] = text.split('/').map(decodeURIComponent);
    return { table, key };
  } catch {
    return undefined;
  }
}

/** Keys contain references of merchants and providers, so any character may occur. */
function escapeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
