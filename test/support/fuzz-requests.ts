/** Headers and request targets as clients, proxies and attackers send them. */
import fc from 'fast-check';

type Headers = Readonly<Record<string, string>>;

const odd = (name: string, ...values: readonly string[]): fc.Arbitrary<Headers> =>
  fc.constantFrom(...values).map((value) => ({ [name]: value }));

/** Header values that an HTTP parser accepts. */
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .map((text) => text.replaceAll('\x7f', ''));

const oddHeaders: fc.Arbitrary<Headers> = fc.oneof(
  odd(
    'content-type',
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
    ';;;',
    '*/*',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    '\xff',
    'a/b/c',
  ),
  odd('encryption', 'ignore', 'IGNORE', '', 'off', '\xff', 'ignore, ignore'),
  odd(
    'x-request-id',
    'abc-123',
    'x'.repeat(64),
    'x'.repeat(65),
    '',
    ' ',
    '../../..',
    '%0d%0ax-evil:1',
    'a b',
    '<b>',
    '"quoted"',
    '\xff\xfe',
    '\t',
    '__proto__',
    'a\\r\\nx-evil: 1',
  ),
  headerText.map((value) => ({ 'x-request-id': value })),
  odd('idempotency-key', '', 'a', 'k'.repeat(255), 'k'.repeat(256), '\xff', '"a"', '__proto__'),
  headerText.map((value) => ({ 'idempotency-key': value })),
  odd('content-encoding', 'gzip', 'br', 'identity', 'deflate, gzip', 'x'),
  odd('accept', 'text/html', 'application/xml', '', '*/*;q=0'),
  odd('accept-encoding', 'gzip', 'br;q=1', 'identity;q=0, *;q=0'),
  odd('x-http-method-override', 'DELETE', 'GET'),
  odd('x-forwarded-for', '127.0.0.1', "'"),
  odd('x-forwarded-host', 'evil.example'),
  odd('origin', 'https://evil.example', 'null'),
  odd('cookie', '__proto__=1', 'token=x; token=y'),
  odd('__proto__', 'x'),
  odd('constructor', 'x'),
  odd('range', 'bytes=0-0', 'bytes=9-1'),
  odd('if-none-match', '*'),
  odd('upgrade', 'websocket', 'h2c'),
  odd('connection', 'keep-alive, host', 'close'),
  odd('te', 'trailers'),
  odd('accept-version', '1.x', '9'),
);

/** No extra headers for most requests, sometimes several. */
export const extraHeaders: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc
      .array(oddHeaders, { minLength: 1, maxLength: 3 })
      .map((list) => Object.assign({}, ...list) as Headers),
  },
);

/** Mostly a valid token, otherwise one of another type or one that was tampered with. */
export function authorizations(good: readonly string[], others: readonly string[]) {
  const tampered = fc
    .tuple(
      fc.constantFrom(...good, ...others),
      fc.nat(),
      fc.constantFrom('A', '.', '=', '', '\xff'),
    )
    .map(([token, at, character]) => {
      const index = at % token.length;
      return `Bearer ${token.slice(0, index)}${character}${token.slice(index + 1)}`;
    });
  const [first = ''] = good;
  const [, claims = ''] = first.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return fc.oneof<fc.Arbitrary<string | undefined>[]>(
    { weight: 12, arbitrary: fc.constantFrom(...good).map((token) => `Bearer ${token}`) } as never,
    { weight: 3, arbitrary: fc.constantFrom(...others).map((token) => `Bearer ${token}`) } as never,
    { weight: 1, arbitrary: tampered } as never,
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        '',
        'Bearer',
        'Bearer ',
        'Bearer  x',
        'Basic dXNlcjpwYXNz',
        'Bearer null',
        `bearer ${first}`,
        `Bearer ${first} ${first}`,
        `Bearer ${first},${first}`,
        first,
        `Bearer ${none}.${claims}.`,
        `Bearer ..`,
        `Bearer ${'x'.repeat(8_000)}`,
        'Bearer \xff',
        'Bearer eyJhbGciOiJIUzI1NiIsImtpZCI6Il9fcHJvdG9fXyJ9.e30.x',
        'Bearer e30.e30.e30',
      ),
    } as never,
  );
}

const encodedTexts = fc.string({ unit: 'grapheme' }).map((text) => encodeURIComponent(text));

/** Query strings that are encoded correctly, wrongly, twice or not at all. */
export function queries(names: readonly string[], values: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '', 'a[b]', 'x%00') },
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...values.map(encodeURIComponent)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '',
        '%',
        '%zz',
        '%00',
        'a%00b',
        '%ED%A0%80',
        '%E0%A4%A',
        '%ff',
        '+',
        '%2B',
        '%0d%0a',
        '%F0%9F%98%80',
        '%E2%80%AE',
        'x'.repeat(255),
        'x'.repeat(256),
        'x'.repeat(4_000),
        '__proto__',
        'toString',
        "'--",
        '[]',
        '{}',
        'null',
        '0',
        '-0',
        '1e308',
        '#',
        '?',
        '==',
      ),
    },
    {
      weight: 1,
      arbitrary: encodedTexts,
    },
  );
  const pair = fc.tuple(name, value).map(([key, text]) => `${key}=${text}`);
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: pair }, { weight: 1, arbitrary: name }), {
      maxLength: 3,
    })
    .map((pairs) => pairs.join('&'));
}
