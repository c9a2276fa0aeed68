/** The fixture of Acme Pay for the provider contract tests. */
import { hmacHex } from '../../../src/security/hmac.ts';
import type { ProviderFixture } from '../provider-contract/contract.ts';

const charge = {
  id: 'ch_1',
  reference: 'INV-1',
  state: 'paid',
  cents: 11_800,
  currency: 'INR',
  created: 1_794_700_000,
  reason: null,
  payer: { email: 'asha@example.com', phone: '+919876543210' },
};
const returned = {
  id: 'rt_1',
  charge: 'ch_1',
  reference: 'RR-1',
  state: 'done',
  cents: 1_800,
  currency: 'INR',
  created: 1_794_703_600,
};
const envelope = { store: '1001', at: 1_794_703_700 };

export const acmePayFixture: ProviderFixture = {
  prove: (bytes, secret) => ({ 'x-acme-signature': hmacHex(secret, bytes) }),
  proofCoversBytes: true,
  keyHeader: 'x-acme-event',
  bodies: [
    { type: 'charge.updated', ...envelope, charge },
    {
      type: 'charge.updated',
      ...envelope,
      charge: { ...charge, state: 'declined', reason: 'No funds' },
    },
    { type: 'return.updated', ...envelope, return: returned },
    { type: 'return.updated', ...envelope, return: { ...returned, state: 'failed' } },
  ],
  otherForms: [],
  textPaths: [['charge', 'reason']],
  idPaths: [['type'], ['charge', 'id'], ['charge']],
};
