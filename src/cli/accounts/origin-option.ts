/** Options that take a list of origins, such as `--callback-origin`. */
import { findOrigin } from '../../domain/web-address.ts';
import { UsageError } from '../framework/command.ts';

/** The word that empties the list. */
type Removal = 'off' | 'none';

export function originOption(text: string, removal: Removal) {
  return {
    type: 'string',
    value: `URL|${removal}`,
    text: `${text} All that are given replace the former ones; ${removal} removes them.`,
    multiple: true,
  } as const;
}

/** Replaces the whole list. */
export function readOrigins(option: string, texts: readonly string[], removal: Removal): string[] {
  if (texts.length === 1 && texts[0] === removal) return [];
  const origins = texts.map((text) => {
    const origin = findOrigin(text);
    if (origin !== undefined) return origin;
    throw new UsageError(
      `--${option} must look like https://shop.example (http only on loopback), or be ${removal}.`,
    );
  });
  return [...new Set(origins)];
}
