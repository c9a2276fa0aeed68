/** Turns our names into those of the wire, for values that are shown as they are. */

/** `paymentMode` becomes `payment_mode`. Names of the wire stay. */
export function snakeCase(name: string): string {
  if (!/[A-Z]/.test(name)) return name;
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type InSnakeCase<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly InSnakeCase<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value as SnakeCase<Name>]: InSnakeCase<Value[Name]> }
      : Value;

/** The keys of all objects in wire names, and times as text. */
export function withSnakeCase<Value>(value: Value): InSnakeCase<Value>;
export function withSnakeCase(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((entry) => withSnakeCase(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [snakeCase(name), withSnakeCase(entry)]),
  );
}
