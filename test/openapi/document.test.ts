import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { type ErrorCode, errorTable } from '../../src/domain/errors.ts';
import { eventTypes } from '../../src/domain/event-type.ts';
import type { Operation } from '../../src/http/open-api/model.ts';
import { describeApi } from '../../src/process/app.ts';
import { assertDescribed } from '../support/described-events.ts';
import { type Entry, mediaOf, operationsOf, resolve, walkSchemas } from './read-document.ts';

const document = await describeApi('https://payments.example');
const calls = operationsOf(document.paths);
const operations = [...calls, ...operationsOf(document.webhooks)];

test('every field, parameter, header and reply is described', () => {
  const silent: string[] = [];
  const note = (at: string, { description }: Entry) => {
    if (typeof description !== 'string' || description.trim() === '') silent.push(at);
  };
  for (const { at, operation } of operations) {
    note(at, operation);
    for (const parameter of operation.parameters ?? []) {
      const resolved = resolve(document, parameter);
      note(`${at} ${resolved.name}`, resolved);
      const isOwn = '$ref' in parameter === false;
      if (isOwn && !('example' in resolved)) silent.push(`${at} ${resolved.name} has no example`);
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      note(`${at} ${status}`, response);
      for (const [name, header] of Object.entries(response.headers ?? {})) {
        note(`${at} ${status} ${name}`, resolve(document, header));
      }
    }
  }
  walkSchemas(document, (at, schema) => {
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Entry)) {
      note(`${at}.${name}`, resolve(document, field));
    }
  });
  assert.deepEqual(silent, []);
});

test('every request and every reply has an example, and each conforms to its schema', () => {
  const components = { components: document.components };
  let checked = 0;
  for (const { at, media } of mediaOf(operations)) {
    const examples = Object.entries(media.examples ?? {});
    assert.ok(examples.length > 0, `${at} has no example`);
    const schema = Schema.Compile({ ...components, ...media.schema });
    for (const [name, example] of examples) {
      const { value } = resolve(document, example as Entry);
      assert.ok(schema.Check(value), `${at} ${name}: ${JSON.stringify(schema.Errors(value))}`);
      checked += 1;
    }
  }
  assert.ok(checked > 200, `${checked}`);
});

test('where a request is validated in the use case, its allowed values are listed all the same', () => {
  const { CreateOrderRequest, UpdateOrderRequest, PaymentRequest } = document.components
    .schemas as Entry;
  for (const schema of [CreateOrderRequest, UpdateOrderRequest, PaymentRequest]) {
    const { callback_mode } = resolve(document, schema).properties;
    // As a value of its own, not only in the description.
    assert.match(JSON.stringify(callback_mode), /"callback_url_redirect".*"callback_url_post"/);
  }
  assert.deepEqual(CreateOrderRequest.properties.total_amount.type, ['number', 'string']);
});

test('an example with a wrong value is found', () => {
  const components = { components: document.components };
  const schema = Schema.Compile({ ...components, $ref: '#/components/schemas/Enquiry' });
  assert.equal(schema.Check({ transaction: [{ payment_status: 'paid' }], order: {} }), false);
});

test('every error reply names its codes, has their status, and no status is a range', () => {
  for (const { at, operation } of calls) {
    const statuses = Object.keys(operation.responses);
    assert.deepEqual(
      statuses.filter((status) => !/^\d{3}$/.test(status)),
      [],
      at,
    );
    for (const [status, { content, description }] of Object.entries(operation.responses)) {
      if (Number(status) < 400 || description.startsWith('Requests cannot')) continue;
      const { encrypted, ...examples } = content?.['application/json']?.examples ?? {};
      assert.ok(Object.keys(examples).length > 0, `${at} ${status}`);
      for (const code of Object.keys(examples)) {
        assert.equal(errorTable[code as ErrorCode]?.status, Number(status), `${at} ${code}`);
        assert.ok(description.includes(`\`${code}\``), `${at} ${code}`);
      }
    }
  }
});

test('operation ids are unique and start with a verb, and aliases are listed with their operation', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  const verbs =
    /^(generate|refresh|create|get|enquire|resolve|update|list|initiate|refund|capture|void|receive|cancel)/;
  for (const id of ids) assert.match(id, verbs);
  const update = document.paths['/api/v3/update-order']?.post as unknown as Entry;
  assert.deepEqual(update['x-aliases'], [
    'PUT /api/v3/update-order',
    'PATCH /api/v3/update-order',
    'PATCH /api/v3/order',
  ]);
  for (const alias of update['x-aliases'] as string[]) {
    assert.ok(String(update.description).includes(alias), alias);
  }
});

test('every type of event is a webhook, whose example is an event of this type', () => {
  assert.deepEqual(Object.keys(document.webhooks), [...eventTypes, 'test']);
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { encrypted, ...examples } = examplesOf(post);
    assert.ok(encrypted, type);
    assert.deepEqual(Object.keys(examples), [type]);
    assert.equal(examples[type].value.event_type, type);
    assertDescribed(examples[type].value);
  }
});

test('an event with a field that its schema does not have is found', () => {
  const { value } = examplesOf(document.webhooks.order_completed?.post).order_completed;
  assertDescribed(value);
  assert.throws(() => assertDescribed({ ...value, more: 1 }), /additionalProperties/);
  const order = { ...value.order, refund_details: { ...value.order.refund_details, more: 1 } };
  assert.throws(() => assertDescribed({ ...value, order }), /additionalProperties/);
  assert.throws(() => assertDescribed({ ...value, event_type: 'order_paid' }), /does not know/);
});

const examplesOf = (operation: Operation | undefined): Entry =>
  operation?.requestBody?.content['application/json']?.examples ?? {};
