import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { splitStatements } from '../../../src/store/upkeep/migrate.ts';

test('a statement ends at its semicolon, and comments alone are none', () => {
  assert.deepEqual(splitStatements('select 1;\n-- the end\nselect 2;\n-- nothing\n'), [
    'select 1',
    '-- the end\nselect 2',
  ]);
  assert.deepEqual(splitStatements('select 1'), ['select 1']);
  assert.deepEqual(splitStatements(' ;\n; '), []);
});

test('a semicolon in a text, a comment or a body ends nothing', () => {
  for (const whole of [
    `select 'a;''b;'`,
    '-- one; two\nselect 1',
    'do $$ begin perform 1; end $$',
    `do $body$ begin perform $$;$$; end $body$`,
    `select 'it''s -- no comment;'`,
  ]) {
    assert.deepEqual(splitStatements(`${whole};\nselect 2;`), [whole, 'select 2']);
  }
});

test('the statements of every migration are its whole text', () => {
  const bare = (text: string) => text.replace(/[;\s]/g, '');
  for (const name of readdirSync('migrations').filter((file) => file.endsWith('.sql'))) {
    const text = readFileSync(`migrations/${name}`, 'utf8');
    assert.equal(bare(splitStatements(text).join('')), bare(text), name);
  }
});
