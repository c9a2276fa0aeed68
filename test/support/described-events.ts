/** Checks an event against its schema in the API reference. A field that the reference does not know is refused. */
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import Schema from 'typebox/schema';
import { eventSchemas, type SentEventType } from '../../src/http/merchant/event-schemas.ts';
import type { Reply } from './test-service.ts';

type Node = Readonly<Record<string, unknown>>;

const validators = new Map<TSchema, ReturnType<typeof Schema.Compile>>();

export function assertDescribed(event: Reply['body']): void {
  const schema = eventSchemas[event.event_type as SentEventType];
  assert.ok(schema, `the reference does not know the type ${event.event_type}`);
  const validator = validators.get(schema) ?? Schema.Compile(closed(schema) as TSchema);
  validators.set(schema, validator);
  if (validator.Check(event)) return;
  assert.fail(`${JSON.stringify(validator.Errors(event))}\n${JSON.stringify(event)}`);
}

/** The same schema, in which no object may have more fields than it lists. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, entry]) => [name, closed(entry)]);
  const copy: Node = Object.fromEntries(entries);
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
