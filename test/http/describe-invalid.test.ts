/** Messages about invalid fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeInvalid } from '../../src/http/describe-invalid.ts';

const wrongType = { keyword: 'type', schemaPath: '', params: { type: 'string' } };

test('the message names the field as it is written in the body', () => {
  const instancePath = '/order_line_items/0/rate~1unit';
  assert.equal(
    describeInvalid({ ...wrongType, instancePath }, 'body'),
    'order_line_items[0].rate/unit must be of type string.',
  );
});

test('a long field name that the caller chose is shortened', () => {
  const instancePath = `/custom_attributes/${'x'.repeat(5_000)}`;
  assert.equal(
    describeInvalid({ ...wrongType, instancePath }, 'body'),
    `custom_attributes.${'x'.repeat(64)}… must be of type string.`,
  );
});
