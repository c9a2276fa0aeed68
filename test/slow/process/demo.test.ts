/** `npm run demo`, as its reader sees it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import { runProgram } from '../../../tools/harness/command-line.ts';
import { assertRunning, launch } from '../../../tools/harness/launch.ts';
import { withoutKeepAlive } from '../../../tools/harness/service.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { createTemporaryFolder } from '../../support/service-process.ts';

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
    'dispute_created succeeded',
    'dispute_won succeeded',
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

test('a filled shop is sound, its link opens the dashboard, and Ctrl-C leaves nothing behind', async () => {
  const temporary = await createTemporaryFolder();
  const words = ['--fill', '--orders', '5', '--days', '5'];
  const demo = launch([process.execPath, 'tools/demo/main.ts', ...words], { TMPDIR: temporary });
  after(() => demo.end('SIGKILL'));
  const findLink = () =>
    /http:\/\/localhost:\d+\/dashboard\/invitation\/[\w-]{43}/.exec(demo.output());
  await waitUntil(
    'the link is printed',
    async () => {
      await assertRunning(demo);
      return findLink() !== null;
    },
    100,
  );
  assert.match(demo.output(), /verify: \d+ orders, \d+ transactions, breaches: 0\n/);
  const [link = ''] = findLink() ?? [];
  const page = await fetch(link, { headers: withoutKeepAlive });
  assert.deepEqual(
    [page.status, page.headers.get('content-type')],
    [200, 'text/html; charset=utf-8'],
  );
  await page.text();
  assert.equal(await demo.end('SIGINT'), 130);
  assert.deepEqual(await readdir(temporary), []);
});
