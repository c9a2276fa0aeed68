/** `npm run demo`, as its reader sees it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram } from '../../tools/harness/command-line.ts';

test('the demo walks an order to its refund and prints every event, verified, between the calls', async () => {
  const { code, stdout, stderr } = await runProgram([process.execPath, 'tools/demo/main.ts'], {});
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout);
  assert.match(stdout, /\nSignatures verified\. The order travelled from creation to refund\.\n$/);

  const events = [...stdout.matchAll(/^the shop receives +(\d+) +(\w+) +(\w+) +verified\b/gm)];
  assert.deepEqual(
    events.map(([, sequence]) => Number(sequence)).toSorted((one, other) => one - other),
    events.map((_, index) => index + 1),
  );
  // The bank's authorization may be reported together with the capture.
  const told = events.map(([, , type, status]) => `${type} ${status}`);
  assert.deepEqual(told.filter((text) => text !== 'payment_authorized authorized').toSorted(), [
    'order_completed completed',
    'payment_success succeeded',
    'refund_pending pending',
    'refund_pending pending',
    'refund_success succeeded',
    'refund_success succeeded',
  ]);

  // A reply ends with an empty line.
  assert.doesNotMatch(stdout, /^ .*\nthe shop receives/m);
});
