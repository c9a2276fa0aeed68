/** Bodies of deliveries as the dashboard shows them: readable, and nothing of them is changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyText } from '../../dashboard/core/json-text.js';

test('a number keeps its text, and a bracket inside a text is no bracket', () => {
  const lines = ['{', '  "amount": 118.00,', '  "note": "a {b}, \\"c\\"",', '  "list": []', '}'];
  assert.equal(bodyText('{"amount":118.00,"note":"a {b}, \\"c\\"","list":[]}'), lines.join('\n'));
});

test('JSON is indented as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      assert.equal(bodyText(json), JSON.stringify(JSON.parse(json), null, 2));
    }),
  );
});

test('form data is one field in each line, and anything else stays', () => {
  assert.equal(bodyText('order.id=A+1&name=%C3%A9'), 'order.id = A 1\nname = é');
  assert.equal(bodyText('order.id=%zz'), 'order.id=%zz');
  for (const body of ['{"cut": "of', 'plain words', '']) assert.equal(bodyText(body), body);
});
