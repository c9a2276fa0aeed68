/** A consumer with all personal data that orders, payments and deliveries can contain, and a search for that data. */
import assert from 'node:assert/strict';
import { consumerErase } from '../../src/cli/consumers/consumer-erase.ts';
import { readWords } from '../../src/cli/framework/read-words.ts';
import { withSnakeCase } from '../../src/domain/json/snake-case.ts';
import type { Database } from '../../src/postgres/database.ts';
import type { Config } from '../../src/process/config.ts';
import { decodePercents } from './card-search.ts';
import { dumpTables } from './test-database.ts';
import type { TestService } from './test-service.ts';

export const meera = {
  email: 'Meera.Nair@Example.org',
  first_name: 'Meerabai',
  last_name: 'Nairkutty',
  country_code: '+91',
  mobile_number: '9812345670',
};
export const upiId = 'meera.nair@okbank';
export const holder = 'MEERABAI NAIRKUTTY';

const address = (tag: string) => ({
  address_1: `${tag} Lotusbagh`,
  street: 'Kizhakkekotta Street',
  landmark: 'Behind Padmatheertham',
  area: 'Chalaibazar',
  city: 'Thiruvananthapuram',
  state: 'Keralam',
  pincode: '695023-tvm',
  address_type: 'Bungalow',
});

export const personalOrder = {
  user: meera,
  shipping_address: address('17'),
  billing_address: address('18'),
  bank_account: { account_number: '40501234567890', name: 'M R Nairkutty', ifsc: 'SBIN0070028' },
  custom_attributes: {
    contact: 'meera.nair@example.org',
    'call +91 98123 45670': 'yes',
    campaign: 'onam',
  },
  description: 'Ring (+91) 98123-45670 or write to MEERA.NAIR@EXAMPLE.ORG',
  callback_url: 'https://shop.example/return?mail=meera.nair%40example.org&tel=%2B919812345670',
  ip_address: '198.51.100.77',
};

/** Every spelling that must not be found, in lower case. */
export const spellings: readonly string[] = [
  'meera.nair',
  'meerabai',
  'nairkutty',
  '198.51.100.77',
  '9812345670',
  '98123 45670',
  '98123-45670',
  '40501234567890',
  'sbin0070028',
  'lotusbagh',
  'kizhakkekotta',
  'padmatheertham',
  'chalaibazar',
  'keralam',
  '695023-tvm',
];

/** Searches every column of every table for all spellings, as text and as bytes. */
export async function findSpellings(
  database: Database,
  wanted: readonly string[] = spellings,
): Promise<string[]> {
  const found: string[] = [];
  for (const [table, rows] of Object.entries(await dumpTables(database))) {
    for (const row of rows as Record<string, unknown>[]) {
      for (const [column, value] of Object.entries(row)) {
        const written = textOf(value).toLowerCase();
        const own = wanted.filter((spelling) => written.includes(spelling));
        found.push(...own.map((spelling) => `${table}.${column}: ${spelling}`));
      }
    }
  }
  return [...new Set(found)].sort();
}

/** Decodes bytes that are dumped as `\\x…`, percent-encoding and escapes. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const bytes = /^\\x([0-9a-f]*)$/.exec(text)?.[1];
  const written = bytes === undefined ? text : Buffer.from(bytes, 'hex').toString('utf8');
  const unescaped = written.replace(/\\u([0-9a-f]{4})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return `${written} ${unescaped} ${decodePercents(unescaped.replaceAll('+', ' '))} ${decodePercents(written)}`;
}

export async function assertErased(database: Database): Promise<void> {
  assert.deepEqual(await findSpellings(database), []);
}

/** Runs the command with the services of the test, whose clock the test can move. */
export async function eraseIn({ services }: TestService, accountId: string, words: string[]) {
  const given = consumerErase.read(readWords(consumerErase, [accountId, ...words]));
  const surroundings = { config: {} as Config, warn: assert.fail, migrated: [] };
  // biome-ignore lint/suspicious/noExplicitAny: the outcome is asserted field by field
  return withSnakeCase(await consumerErase.run(services, given, surroundings)) as any;
}
