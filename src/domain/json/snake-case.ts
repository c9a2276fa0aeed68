/** Turns our names into those of the wire, for values that are shown as they are. */

/** `paymentMode` becomes `payment_mode`. Names of the wire stay. */
export function snakeCase(name: string): string {
  if (!/[A-Z]/.test(name)) return name;
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The keys of all objects in wire names, and times as text. */
export function withSnakeCase(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [snakeCase(name), withSnakeCase(entry)]),
  );
}
