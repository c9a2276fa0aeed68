/** Checks that hostile requests have changed nothing in the database or the process. */
import assert from 'node:assert/strict';
import { type FuzzRequest, openFuzzConnection } from './fuzz-client.ts';
import { dumpTables } from './test-database.ts';
import type { TestService } from './test-service.ts';

/** Sends refused requests again and checks that they change no table. */
export async function assertUnchangedBy(
  service: TestService,
  requests: readonly FuzzRequest[],
): Promise<void> {
  // A request that succeeds now, because of an earlier one, is left out below.
  const refused = await sendAll(service, requests);
  assert.ok(refused.length > requests.length / 2, `${refused.length} of ${requests.length}`);
  const before = await dumpTables(service.database);
  const again = await sendAll(service, refused);
  assert.equal(
    again.length,
    refused.length,
    'a request that was refused twice succeeds the third time',
  );
  assert.deepEqual(await dumpTables(service.database), before);
}

/** Returns the refused requests. */
async function sendAll(
  { baseUrl }: TestService,
  requests: readonly FuzzRequest[],
): Promise<FuzzRequest[]> {
  const connection = openFuzzConnection(baseUrl);
  const refused: FuzzRequest[] = [];
  for (const request of requests) {
    const reply = await connection.send(request);
    if (!reply || reply.status >= 400) refused.push(request);
  }
  connection.close();
  return refused;
}

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const ownNames = () => prototypes.map((prototype) => Reflect.ownKeys(prototype).map(String));
const namesAtStart = ownNames();

/** Checks the process and its log after the run. */
export async function assertUntouched(
  service: TestService,
  secrets: readonly string[],
): Promise<void> {
  assert.deepEqual(ownNames(), namesAtStart, 'a prototype was changed');
  const log = service.logText();
  for (const secret of secrets) assert.ok(!log.includes(secret), 'a secret is in the log');
  assert.doesNotMatch(log, /"level":"(error|fatal)"/);
  assert.equal((await service.call('/healthz')).status, 200);
}

/** Collects reported defects: a provider gets 200 even if applying its delivery fails. */
export function collectDefects({ services }: TestService): readonly string[] {
  const defects: string[] = [];
  const reportDefect = (error: Error & { detail?: string }) => {
    defects.push(`${error.stack} ${error.detail}`);
  };
  Object.assign(services, { reportDefect });
  return defects;
}
