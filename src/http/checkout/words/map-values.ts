/** Applies a function to each value of an object and keeps the names. */
export function mapValues<Name extends string, Value, Result>(
  values: Readonly<Record<Name, Value>>,
  change: (value: Value) => Result,
): Readonly<Record<Name, Result>> {
  const entries = Object.entries<Value>(values).map(([name, value]) => [name, change(value)]);
  return Object.fromEntries(entries);
}
