/** The README of the client names every call, every type of event and every field of links, banks and wallets. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '../../client/client.js';
import { eventTypes } from '../../src/domain/event-type.ts';
import { describeApi } from '../../src/process/app.ts';
import { projectDir } from '../../tools/harness/project.ts';

const readme = await readFile(join(projectDir, 'client/README.md'), 'utf8');
const { components, webhooks } = await describeApi('https://payments.example');
const schemas = components.schemas as Readonly<
  Record<string, { readonly properties?: object } | undefined>
>;

const fieldsOf = (name: string) =>
  Object.keys(schemas[name]?.properties ?? assert.fail(`there is no schema ${name}`));
const assertNamed = (names: readonly string[]) => {
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
};

test('every call is in the table of calls', () => {
  const options = { baseUrl: 'https://pay.example.com', accessKey: 'k', accessSecret: 's' };
  assertNamed(Object.keys(createClient(options)));
});

test('every event, and what all events have, is in the table of events', () => {
  assertNamed([...eventTypes, 'test']);
  const titles = JSON.stringify(webhooks).matchAll(/schemas\/((?!Encrypted)\w+Event)"/g);
  assertNamed([...titles].map(([, title = '']) => title));
  const constant = ['version', 'is_webhook'];
  assertNamed(fieldsOf('DisputeEvent').filter((name) => !constant.includes(name)));
});

test('the fields that a link adds to its order, and those of a choice, are explained', () => {
  const ofOrder = fieldsOf('Order').filter((name) => name !== 'status');
  for (const reply of ['PaymentLink', 'PaymentLinkEnquiry']) {
    assertNamed(fieldsOf(reply).filter((name) => !ofOrder.includes(name)));
  }
  for (const choice of ['Bank', 'Wallet', 'ListedBank', 'ListedWallet']) {
    assertNamed(fieldsOf(choice));
  }
});
