/**
 * Many rows as parameters of one statement: one array per column, in PostgreSQL's binary format. The statement text
 * does not depend on the number of rows, so it stays prepared. The same rows as JSON cost the database twice as much.
 */
import { snakeCase } from '../domain/json/snake-case.ts';
import { columnOf, joinSql, type Sql, sql, word } from './sql.ts';

type ScalarType =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'timestamptz'
  | 'json'
  | 'jsonb'
  | 'bytea';
type ColumnType = ScalarType | 'text[]';

type Write<Entry> = (entries: readonly Entry[]) => void;

/** Fields by the type of their columns, which are named after them: that of `orderId` is `order_id`. */
export type Fields<Entry> = { readonly [Type in ColumnType]?: ReadonlyArray<keyof Entry & string> };

export type Columns<Entry> = Readonly<
  Record<string, readonly [ColumnType, (entry: Entry) => unknown]>
>;

export type Rows<Entry> = ReturnType<typeof defineRows<Entry>>;

/** Rows of fields, and of columns that are computed from an entry. `first` is the number of the first parameter. */
export function defineRows<Entry>(fields: Fields<Entry>, computed: Columns<Entry> = {}, first = 1) {
  const columns: Columns<Entry> = { ...toColumns(fields), ...computed };
  const writers: Write<Entry>[] = [];
  const addParameter = (type: ScalarType, write: Write<Entry>) => {
    writers.push(write);
    return sql`$${first + writers.length - 1}::${word(type)}[]`;
  };
  /** Arrays side by side, with an element for each row. */
  const items: Array<{ readonly name: Sql; readonly parameter: Sql }> = [];
  const addItem = (name: Sql, type: ScalarType, read: (entry: Entry) => unknown) => {
    const write: Write<Entry> = (entries) => writeColumn(wires[type], entries, read);
    items.push({ name, parameter: addParameter(type, write) });
    return name;
  };
  /**
   * PostgreSQL has no arrays of arrays of different lengths. All lists are sent as one array, and each row says which
   * part of it is its own.
   */
  const addList = (name: Sql, read: (entry: Entry) => readonly string[]) => {
    let last = 0;
    const all = addParameter('text', (entries) => {
      last = 0;
      writeColumn(wires.text, entries.flatMap(read), (text) => text);
    });
    addItem(sql`${name}_size`, 'integer', (entry) => read(entry).length);
    addItem(sql`${name}_last`, 'integer', (entry) => {
      last += read(entry).length;
      return last;
    });
    return sql`(${all})[${name}_last - ${name}_size + 1 : ${name}_last] as ${name}`;
  };
  const selected = Object.entries(columns).map(([name, [type, read]]) =>
    type === 'text[]'
      ? addList(columnOf(name), read as never)
      : addItem(columnOf(name), type, read),
  );
  return {
    /** The rows for `values …`, with a parameter for each of their values. */
    toList: (entries: readonly Entry[]) => toList(Object.values(columns), entries),
    /** The names of the columns, for `insert into t (…)`. */
    names: joinSql(Object.keys(columns).map(columnOf)),
    /** The rows, built from the first parameters, for `from … row`. */
    from: sql`(select ${joinSql(selected)}
              from unnest(${joinSql(items.map(({ parameter }) => parameter))})
                as item (${joinSql(items.map(({ name }) => name))})) as row`,
    /** One parameter per column, three per list. */
    toParameters: (entries: readonly Entry[]) => {
      written = 0;
      try {
        const ends = writers.map((write) => {
          write(entries);
          return written;
        });
        // Copied: the driver may send them later, after the next statement has overwritten the scratch buffer.
        const bytes = Buffer.from(scratch.subarray(0, written));
        return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      } finally {
        clearScratch();
      }
    },
  };
}

function toColumns<Entry>(fields: Fields<Entry>): Columns<Entry> {
  const byType = Object.entries(fields) as Array<[ColumnType, ReadonlyArray<keyof Entry & string>]>;
  const columns = byType.flatMap(([type, names]) =>
    names.map((name) => [snakeCase(name), [type, (entry: Entry) => entry[name]]] as const),
  );
  return Object.fromEntries(columns);
}

function toList<Entry>(columns: ReadonlyArray<Columns<Entry>[string]>, entries: readonly Entry[]) {
  const values: unknown[] = [];
  const rows = entries.map((entry) => {
    const row = columns.map(([type, read]) => {
      const value = read(entry) ?? null;
      return `$${values.push(value === null ? null : toScalar(type, value))}::${type}`;
    });
    return `(${row.join(', ')})`;
  });
  return { list: rows.join(', '), values };
}

/** The value in the form that the driver accepts for the type. */
function toScalar(type: ColumnType, value: unknown): unknown {
  if (type === 'json' || type === 'jsonb') return JSON.stringify(value);
  return type === 'bytea' && typeof value === 'string' ? Buffer.from(value) : value;
}

const scratchBytes = 64 * 1024;
/** A full batch of deliveries of the usual size fits, so that a busy service does not grow the buffer every time. */
const scratchBytesKept = 512 * 1024;

/** Shared by all statements. Between two of them it holds only zeros. */
let scratch = Buffer.alloc(scratchBytes);
let written = 0;

/** Rows contain personal data: nothing of them stays, and a buffer that a large batch needed is given back. */
function clearScratch(): void {
  if (scratch.length > scratchBytesKept) scratch = Buffer.alloc(scratchBytes);
  else scratch.fill(0, 0, written);
}

/** The buffer that is kept between statements; the tests look into it. */
export function keptScratch(): Buffer {
  return scratch;
}

function reserve(bytes: number): void {
  if (written + bytes <= scratch.length) return;
  const larger = Buffer.alloc(2 * (written + bytes));
  scratch.copy(larger, 0, 0, written);
  scratch = larger;
}

type Wire = {
  /** Of the type of the array elements. */
  readonly oid: number;
  /** Writes the length of a value that is not null, then the value. */
  readonly write: (value: never) => void;
};

const wires: Readonly<Record<ScalarType, Wire>> = {
  text: { oid: 25, write: writeText },
  integer: { oid: 23, write: writeInteger },
  bigint: { oid: 20, write: writeBigint },
  boolean: { oid: 16, write: writeBoolean },
  timestamptz: { oid: 1184, write: writeTime },
  json: { oid: 114, write: (value) => writeText(JSON.stringify(value)) },
  // The binary format of jsonb is a version byte followed by the text.
  jsonb: {
    oid: 3802,
    write: (value) => writeText(`\u0001${JSON.stringify(value)}`),
  },
  bytea: { oid: 17, write: writeBytes },
};

const dimensions = 1;
const nullLength = -1;

function writeColumn<Entry>(
  { oid, write }: Wire,
  entries: readonly Entry[],
  read: (entry: Entry) => unknown,
): void {
  reserve(20);
  writeInt32(entries.length === 0 ? 0 : dimensions);
  writeInt32(1); // there may be nulls
  writeInt32(oid);
  if (entries.length === 0) return;
  writeInt32(entries.length);
  writeInt32(1); // the lower bound of the index
  for (const entry of entries) {
    const value = read(entry);
    if (value === null || value === undefined) {
      reserve(4);
      writeInt32(nullLength);
    } else write(value as never);
  }
}

function writeText(text: string): void {
  reserve(4 + 3 * text.length);
  const length = scratch.write(text, written + 4);
  writeInt32(length);
  written += length;
}

/** A text is written as UTF-8, without a buffer of its own. */
function writeBytes(bytes: Buffer | string): void {
  if (typeof bytes === 'string') {
    writeText(bytes);
    return;
  }
  reserve(4 + bytes.length);
  writeInt32(bytes.length);
  written += bytes.copy(scratch, written);
}

function writeInteger(value: number): void {
  if ((value | 0) !== value) throw new Error(`${value} is not a 32-bit integer`);
  reserve(8);
  writeInt32(4);
  writeInt32(value);
}

/** Amounts and times stay far below 2^53. */
function writeBigint(value: number): void {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an exact integer`);
  reserve(12);
  writeInt32(8);
  const high = Math.floor(value / 2 ** 32);
  writeInt32(high);
  writeInt32(value - high * 2 ** 32);
}

function writeBoolean(value: boolean): void {
  reserve(5);
  writeInt32(1);
  scratch[written++] = value ? 1 : 0;
}

const epochMs = Date.UTC(2000, 0, 1);

/** PostgreSQL counts microseconds since 2000-01-01. */
function writeTime(time: Date): void {
  writeBigint((time.getTime() - epochMs) * 1000);
}

/** The caller has reserved the four bytes. */
function writeInt32(value: number): void {
  scratch[written] = value >>> 24;
  scratch[written + 1] = value >>> 16;
  scratch[written + 2] = value >>> 8;
  scratch[written + 3] = value;
  written += 4;
}
