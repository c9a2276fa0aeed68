import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson, resolveEscapedNames } from '../../../src/domain/json/json.ts';

/** Names that trigger the V8 bug when another request has parsed them before. */
function readHostileNames(): void {
  for (const name of ['\\', '\\u00e9', 'a\\/b', '\\n']) {
    for (let times = 0; times < 3; times += 1) parseExactJson(JSON.stringify({ b: 0, [name]: 1 }));
  }
}

test('a name with escapes is read correctly, whatever was parsed before', () => {
  readHostileNames();
  assert.deepEqual(parseExactJson('{"b":0,"\\u00e9":1}'), { b: 0, é: 1 });
  assert.deepEqual(parseExactJson('{"b":0,"a\\/b":1}'), { b: 0, 'a/b': 1 });
  assert.deepEqual(parseExactJson('{"b":0,"\\u0928\\u093e\\u092e":1}'), { b: 0, नाम: 1 });
});

test('any value written with every JSON escape is read correctly', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a/b', 'é', '"', '\\', '\n'),
  );
  const objects = fc.dictionary(
    name,
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.dictionary(name, fc.boolean())),
  );
  fc.assert(
    fc.property(objects, (value) => {
      const escaped = escapeAll(JSON.stringify(value));
      assert.deepEqual(parseExactJson(escaped), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('only names are rewritten', () => {
  const text = '{"\\u00e9" : ["\\u00e9", {"x\\/y":"\\/"}], "q\\"":"\\u00e9", "c\\u0000":1}';
  const resolved = '{"é" : ["\\u00e9", {"x/y":"\\/"}], "q\\"":"\\u00e9", "c\\u0000":1}';
  assert.equal(resolveEscapedNames(text), resolved);
});

test('a text that is not JSON is refused before its names are rewritten', () => {
  assert.throws(() => parseExactJson(`"${'\\"'.repeat(120_000)}`), SyntaxError);
});

/** Escapes slashes and everything that is not ASCII. */
function escapeAll(json: string): string {
  return json.replaceAll(/[/\u007f-\uffff]/g, (character) =>
    character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
