/** The limit on bodies of operations that take no token in the header: 8 KiB, whether or not the body says its length. */
import assert from 'node:assert/strict';
import { limits } from '../../src/domain/limits.ts';
import type { TestService } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';

type Operation = {
  readonly service: TestService;
  readonly path: string;
  /** A valid request, to be filled up. */
  readonly fields: object;
  readonly token?: string;
};

const tooLarge = 'The request body is larger than 8 KiB: send less.';

export async function assertLargestIsRead({ service, path, fields }: Operation): Promise<void> {
  const body = bodyOf(fields, limits.publicBodyBytesMax);
  assert.equal(body.length, 8 * 1024);
  const reply = await service.call(path, { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

export async function assertOneMoreIsRefused(operation: Operation): Promise<void> {
  const { service, path, fields, token } = operation;
  const body = bodyOf(fields, limits.publicBodyBytesMax + 1);
  assertRefused(await service.call(path, { token, body }), 'PAYLOAD_TOO_LARGE', tooLarge);
}

export async function assertRefusedWithoutLength(operation: Operation): Promise<void> {
  const { service, path, fields } = operation;
  const response = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    body: new Blob([bodyOf(fields, limits.publicBodyBytesMax + 1)]).stream(),
    duplex: 'half',
  } as RequestInit);
  const { status, headers } = response;
  assertRefused({ status, headers, body: await response.json() }, 'PAYLOAD_TOO_LARGE', tooLarge);
}

/** The fields in so many bytes: an unknown field fills the rest. */
function bodyOf(fields: object, bytes: number): string {
  const empty = JSON.stringify({ ...fields, filler: '' });
  return JSON.stringify({ ...fields, filler: 'x'.repeat(bytes - empty.length) });
}
