import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineRows, keptScratch } from '../../src/postgres/binary-rows.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

type Entry = {
  readonly text: string | null;
  readonly list: readonly string[];
  readonly small: number | undefined;
  readonly large: number | null;
  readonly time: Date | null;
  readonly kept: unknown;
  readonly searched: unknown;
  readonly bytes: Buffer | null;
};

const rows = defineRows<Entry>(
  {},
  {
    text: ['text', ({ text }) => text],
    list: ['text[]', ({ list }) => list],
    small: ['integer', ({ small }) => small],
    large: ['bigint', ({ large }) => large],
    time: ['timestamptz', ({ time }) => time],
    kept: ['json', ({ kept }) => kept],
    searched: ['jsonb', ({ searched }) => searched],
    bytes: ['bytea', ({ bytes }) => bytes],
  },
);

test('values of every type arrive as they were sent, in order', async () => {
  const full: Entry = {
    text: 'a "quoted" \\ text, null, \n and 日本',
    list: ['', 'a,b', '"', 'NULL'],
    small: -7,
    large: 999_999_999_999_999,
    time: new Date('2026-11-15T10:00:00.123Z'),
    kept: { b: 1, a: ['"', null, { deep: '\\' }] },
    searched: { a: 1, list: [1, 'two', null] },
    bytes: Buffer.from([0, 1, 2, 254, 255]),
  };
  const empty: Entry = {
    text: null,
    list: [],
    small: undefined,
    large: null,
    time: null,
    kept: null,
    searched: null,
    bytes: null,
  };
  const expected = [full, { ...empty, small: null }, full];
  assert.deepEqual(await readBack([full, empty, full]), expected);
  assert.deepEqual(await readListBack([full, empty, full]), expected, 'as a list of values');
});

test('an empty list of rows gives no rows', async () => {
  assert.deepEqual(await readBack([]), []);
});

for (const [size, count] of [
  ['small', 3],
  ['large', 2_000],
] as const) {
  test(`after a ${size} batch the buffer that is kept is small and empty`, () => {
    const bytes = Buffer.from('asha@example.com '.repeat(100));
    const [, , , , , , , kept] = rows.toParameters(
      Array.from({ length: count }, () => entryOf(bytes)),
    );
    assert.ok(kept?.includes('asha@example.com'), 'the parameters have the data');
    assertKeepsNothing();
  });
}

test('a batch that cannot be written leaves nothing in the buffer either', () => {
  const entries = [entryOf(Buffer.from('asha@example.com'))];
  const broken = defineRows<Entry>(
    {},
    {
      kept: ['json', ({ kept }) => kept],
      small: ['integer', () => 2 ** 40],
    },
  );
  assert.throws(() => broken.toParameters(entries), /not a 32-bit integer/);
  assertKeepsNothing();
});

function entryOf(bytes: Buffer): Entry {
  const text = bytes.toString('utf8');
  return {
    text,
    list: [text],
    small: 1,
    large: 1,
    time: new Date(0),
    kept: { text },
    searched: { text },
    bytes,
  };
}

function assertKeepsNothing(): void {
  const kept = keptScratch();
  assert.ok(kept.length <= 512 * 1024, `${kept.length} bytes are kept`);
  assert.ok(
    kept.every((byte) => byte === 0),
    'a byte is left',
  );
}

async function readBack(entries: readonly Entry[]): Promise<unknown[]> {
  const result = await database.query({
    text: `select ${rows.names} from ${rows.from}`,
    values: rows.toParameters(entries),
  });
  return result.rows;
}

async function readListBack(entries: readonly Entry[]): Promise<unknown[]> {
  const { list, values } = rows.toList(entries);
  const text = `select * from (values ${list}) as row (${rows.names})`;
  return (await database.query({ text, values })).rows;
}
