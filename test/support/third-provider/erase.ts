/** The fields of an Acme Pay body that stay when its consumer is erased: those that `translate.ts` reads. */
import { createErasing, leaves, type Shape } from '../../../src/providers/erase.ts';

const record: Shape = {
  ...leaves('keep', 'id charge reference state cents currency created'),
  reason: 'text',
  payer: { email: 'word', phone: 'phone' },
};

export const acmePayErasing = createErasing({
  ...leaves('keep', 'type store at'),
  charge: record,
  return: record,
});
