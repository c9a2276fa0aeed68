/** The fields of an Acme Pay body that stay when its consumer is erased: those that `translate.ts` reads. */
import {
  eraseObject,
  leaves,
  listPersonalValues,
  type Shape,
} from '../../../src/providers/erase.ts';
import type { Erasing } from '../../../src/providers/provider.ts';
import { jsonObject } from '../../../src/providers/wire.ts';

const record: Shape = {
  ...leaves('keep', 'id charge reference state cents currency created'),
  reason: 'text',
  payer: { email: 'word', phone: 'phone' },
};

const shape: Shape = {
  ...leaves('keep', 'type store at'),
  charge: record,
  return: record,
};

export const acmePayErasing: Erasing = {
  listPersonalValues: (body) => listPersonalValues(jsonObject(body) ?? {}, shape),
  eraseBody: (body, scrub, replace) =>
    Buffer.from(JSON.stringify(eraseObject(jsonObject(body) ?? {}, shape, scrub, replace)), 'utf8'),
};
