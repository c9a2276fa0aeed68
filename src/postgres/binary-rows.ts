/**
 * Many rows as parameters of one statement: an array for each column, in PostgreSQL's binary form. The statement
 * stays the same whatever the number of rows, and nothing is written as text only to be read again; as JSON the
 * same rows cost the database twice as much.
 */

type ColumnType =
  | 'text'
  | 'text[]'
  | 'integer'
  | 'bigint'
  | 'timestamptz'
  | 'json'
  | 'jsonb'
  | 'bytea';

type Columns<Entry> = Readonly<Record<string, readonly [ColumnType, (entry: Entry) => unknown]>>;

export type Rows<Entry> = {
  /** The names of the columns, for `insert into t (…)`. */
  readonly names: string;
  /** The rows of the first parameters, for `from … row`. */
  readonly from: string;
  /** One for each column. */
  readonly toParameters: (entries: readonly Entry[]) => Buffer[];
};

export function defineRows<Entry>(columns: Columns<Entry>): Rows<Entry> {
  const names = Object.keys(columns);
  const types = Object.values(columns).map(([type]) => type);
  const writers = Object.values(columns).map(
    ([type, read]) =>
      (entries: readonly Entry[]) =>
        writeColumn(wires[type], entries, read),
  );
  const parameters = types.map((type, place) => `$${place + 1}::${wires[type].sent}[]`);
  const selected = names.map((name, place) => {
    const type = types[place];
    // An array of arrays would be taken for one array, so lists go as text.
    return type === 'text[]' ? `${name}::text[]` : name;
  });
  return {
    names: names.join(', '),
    from: `(select ${selected.join(', ')} from unnest(${parameters.join(', ')})
              as item (${names.join(', ')})) as row`,
    toParameters: (entries) => {
      written = 0;
      const ends = writers.map((write) => {
        write(entries);
        return written;
      });
      // The driver may keep them until it can send them, and the next statement writes over what is here.
      const bytes = Buffer.from(scratch.subarray(0, written));
      return ends.map((end, place) => bytes.subarray(ends[place - 1] ?? 0, end));
    },
  };
}

/** Grows with the largest statement, and is written anew for each. */
let scratch = Buffer.allocUnsafe(65_536);
let written = 0;

function reserve(bytes: number): void {
  if (written + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(2 * (written + bytes));
  scratch.copy(larger, 0, 0, written);
  scratch = larger;
}

type Wire = {
  /** What the elements are sent as, and PostgreSQL's number for it. */
  readonly sent: string;
  readonly oid: number;
  /** Writes a value that is there, behind its length. */
  readonly write: (value: never) => void;
};

const wires: Readonly<Record<ColumnType, Wire>> = {
  text: { sent: 'text', oid: 25, write: writeText },
  'text[]': { sent: 'text', oid: 25, write: (list) => writeText(arrayLiteral(list)) },
  integer: { sent: 'integer', oid: 23, write: writeInteger },
  bigint: { sent: 'bigint', oid: 20, write: writeBigint },
  timestamptz: { sent: 'timestamptz', oid: 1184, write: writeTime },
  json: { sent: 'json', oid: 114, write: (value) => writeText(JSON.stringify(value)) },
  // Its binary form is its text behind the number of the version.
  jsonb: {
    sent: 'jsonb',
    oid: 3802,
    write: (value) => writeText(`\u0001${JSON.stringify(value)}`),
  },
  bytea: { sent: 'bytea', oid: 17, write: writeBytes },
};

const dimensions = 1;
const absent = -1;

function writeColumn<Entry>(
  { oid, write }: Wire,
  entries: readonly Entry[],
  read: (entry: Entry) => unknown,
): void {
  reserve(20);
  writeInt32(entries.length === 0 ? 0 : dimensions);
  writeInt32(1); // some may be absent
  writeInt32(oid);
  if (entries.length === 0) return;
  writeInt32(entries.length);
  writeInt32(1); // counted from one
  for (const entry of entries) {
    const value = read(entry);
    if (value === null || value === undefined) {
      reserve(4);
      writeInt32(absent);
    } else write(value as never);
  }
}

function writeText(text: string): void {
  reserve(4 + 3 * text.length);
  const length = scratch.write(text, written + 4);
  writeInt32(length);
  written += length;
}

function writeBytes(bytes: Buffer): void {
  reserve(4 + bytes.length);
  writeInt32(bytes.length);
  written += bytes.copy(scratch, written);
}

function writeInteger(value: number): void {
  if ((value | 0) !== value) throw new Error(`${value} is no integer of 32 bits`);
  reserve(8);
  writeInt32(4);
  writeInt32(value);
}

/** Amounts and times stay far below 2^53. */
function writeBigint(value: number): void {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no exact integer`);
  reserve(12);
  writeInt32(8);
  const high = Math.floor(value / 2 ** 32);
  writeInt32(high);
  writeInt32(value - high * 2 ** 32);
}

const firstDayMs = Date.UTC(2000, 0, 1);

/** Microseconds since PostgreSQL's first day. */
function writeTime(time: Date): void {
  writeBigint((time.getTime() - firstDayMs) * 1000);
}

/** There must be room for it. */
function writeInt32(value: number): void {
  scratch[written] = value >>> 24;
  scratch[written + 1] = value >>> 16;
  scratch[written + 2] = value >>> 8;
  scratch[written + 3] = value;
  written += 4;
}

function arrayLiteral(list: readonly string[]): string {
  if (list.length === 0) return '{}';
  return `{${list.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
