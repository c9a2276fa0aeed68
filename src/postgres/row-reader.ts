/** Turns the text values of a result row into an object, with one parser per column. */
import pg from 'pg';

export type Field = { readonly name: string; readonly dataTypeID: number };

export type Row = Record<string, unknown>;

export type Columns = {
  readonly readers: ReadonlyArray<readonly [name: string, read: (text: string) => unknown]>;
  /** Copied for each row: objects of one shape are faster than objects that grow. */
  readonly emptyRow: Row;
};

// Amounts and counts stay far below 2^53 (limits.amountMinorMax), so bigint columns are numbers here.
const bigintType = 20;
pg.types.setTypeParser(bigintType, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('a bigint column is beyond exact numbers');
  return value;
});

export function columnsOf(fields: readonly Field[]): Columns {
  return {
    readers: fields.map(({ name, dataTypeID }) => [name, pg.types.getTypeParser(dataTypeID)]),
    emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

/** Throws what a parser throws. */
export function readRow({ readers, emptyRow }: Columns, values: readonly (string | null)[]): Row {
  const row = { ...emptyRow };
  for (let index = 0; index < readers.length; index += 1) {
    const value = values[index];
    const reader = readers[index];
    if (reader && typeof value === 'string') row[reader[0]] = reader[1](value);
  }
  return row;
}
