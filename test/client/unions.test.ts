/** The client depends on nothing of the service, so its types repeat what the service says. They must not drift apart. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventType, ReturnStatus } from '../../client/client.js';
import type { EventType as ServiceEventType } from '../../src/domain/event-type.ts';
import type { ReturnStatus as ServiceReturnStatus } from '../../src/domain/order-state/payment-return.ts';
import { TransactionReply } from '../../src/http/merchant/enquiry-schemas.ts';
import { describeApi } from '../../src/process/app.ts';
import { type Schemas, typesOfApi } from '../../tools/client-types/types-of-api.ts';
import { projectDir } from '../../tools/harness/project.ts';

/** The compiler proves it: never if one of them has a value that the other lacks. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : never;
// `endpoint test` sends its own type, which no change of an order has.
true satisfies Same<EventType, ServiceEventType | 'test'>;
true satisfies Same<ReturnStatus, ServiceReturnStatus>;

test('the requests and replies of the client are those of the OpenAPI document', async () => {
  const { components } = await describeApi('https://payments.example');
  const types = await readFile(join(projectDir, 'client/api.d.cts'), 'utf8');
  assert.equal(types, typesOfApi(components.schemas as Schemas), 'run npm run client:types');
});

test('a payment mode in a reply has a name of the contract', async () => {
  const contract = await readFile(join(projectDir, 'docs/contract.md'), 'utf8');
  const [, row = ''] = /^\| `payment_mode` \| (.*) \|$/m.exec(contract) ?? [];
  const names = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  assert.ok(names.length > 5);
  const { enum: values } = TransactionReply.properties.payment_mode as unknown as {
    enum: (string | null)[];
  };
  assert.deepEqual(values.filter((value) => value !== null).toSorted(), names.toSorted());
});
