/** docs/integrate.md shows the samples, codes and vectors that are tested, and no others. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorTable } from '../../src/domain/errors.ts';
import { eventTypes } from '../../src/domain/event-type.ts';
import { attemptSeconds } from '../../src/domain/events/attempt-schedule.ts';
import { signEvent } from '../../src/security/event-signature.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { samplesDir } from '../support/samples.ts';

const page = await readFile(join(projectDir, 'docs/integrate.md'), 'utf8');

test('the page shows each sample exactly as its file', async () => {
  const shown = new Map(
    [...page.matchAll(/^\[samples\/(\S+)\]\(samples\/\1\):\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
      ([, file = '', code = '']) => [file, code],
    ),
  );
  const files = (await readdir(samplesDir, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    // The checkers and their data are linked.
    .filter((name) => !/vectors/.test(name));
  assert.deepEqual([...shown.keys()].toSorted(), files.toSorted());
  for (const [file, code] of shown) {
    assert.equal(code, await readFile(join(samplesDir, file), 'utf8'), file);
  }
});

test('the vectors on the page are published vectors', async () => {
  const vectors = await readFile(join(samplesDir, 'vectors.json'), 'utf8');
  const { signatures, sealed } = JSON.parse(vectors);
  const rows = [...page.matchAll(/^\| `(.+)` \| `([0-9a-f]{64})` \|$/gm)];
  assert.ok(rows.length >= 4);
  for (const [, text = '', signature] of rows) {
    const signed_text = text.replaceAll('\\|', '|');
    const isPublished = signatures.some(
      (vector: { signed_text?: string; transaction: { svc_signature: string | null } }) =>
        vector.signed_text === signed_text && vector.transaction.svc_signature === signature,
    );
    assert.ok(isPublished, signed_text);
  }
  assert.ok(page.includes(`\`\`\`\n${sealed[0].hex}\n\`\`\``));
  assert.ok(page.includes(`decrypt to \`${sealed[0].text}\``));
});

test('the webhook on the page has the signature that the service makes', () => {
  const fields = ['secret', 'webhook-id', 'webhook-timestamp', 'body', 'webhook-signature'];
  const [secret = '', eventId = '', timestamp, body = '', signature] = fields.map(
    (name) => new RegExp(`^${name} {2,}(.*)$`, 'm').exec(page)?.[1],
  );
  const event = { eventId, timestamp: Number(timestamp), body: Buffer.from(body) };
  assert.equal(signEvent(event, [secret]), signature);
});

test('the page explains every type of event, and no other', () => {
  const [, section = ''] = /### What is sent\n([\s\S]*?)\n### /.exec(page) ?? [];
  const types = firstCells(section).filter((name) => name !== 'event_type');
  assert.deepEqual(types, [...eventTypes, 'test']);
});

test('the page names the schedule of the attempts', () => {
  const units: [seconds: number, name: string][] = [
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const shown = attemptSeconds.map((seconds) => {
    const [unit, name] = units.find(([unit]) => seconds % unit === 0) ?? [1, 's'];
    return `${seconds / unit} ${name}`;
  });
  const schedule = `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
  assert.ok(page.replaceAll(/\s+/g, ' ').includes(`after ${schedule},`), schedule);
});

test('the page explains only errors and alerts that exist', async () => {
  const [, errors = ''] = /## Errors worth handling\n([\s\S]*?)\n## /.exec(page) ?? [];
  const codes = firstCells(errors);
  assert.ok(codes.length > 10);
  assert.deepEqual(
    codes.filter((code) => !(code in errorTable)),
    [],
  );
  const alerts = await readFile(join(projectDir, 'ops/alerts.yml'), 'utf8');
  const named = firstCells(/## What to monitor\n([\s\S]*)/.exec(page)?.[1] ?? '');
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter((name) => !alerts.includes(`alert: ${name}\n`)),
    [],
  );
});

/** The names in the first cells of a table. */
function firstCells(text: string): string[] {
  const cells = [...text.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}
