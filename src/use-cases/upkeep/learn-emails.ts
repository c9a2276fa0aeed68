/**
 * Learns which consumers use an e-mail address, for search. No index of orders contains the address
 * (docs/decisions/0046), so the half hours of orders are visited for it, with cursors of its own.
 */
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { learnEmailsOf } from '../../store/consumers/consumer-emails.ts';
import { lockSlots } from '../../store/reports/slot-cursors.ts';
import { type SlotVisitor, visitChanged, visitSome } from '../reports/visit-slots.ts';

const emails: SlotVisitor = {
  purpose: 'emails',
  visit: async (database, slots) => {
    for (const slot of slots) {
      await database.transaction(async (tx) => {
        await lockSlots(tx, 'emails');
        await learnEmailsOf(tx, slot);
      });
    }
  },
};

/** Of orders that were created or changed since the last sweep, and of a part of all others. */
export async function learnEmails(services: Pick<Services, 'database' | 'clock'>, isOver: IsOver) {
  const left = await visitChanged(services, emails, isOver);
  if (!isOver()) await visitSome(services, emails, isOver);
  return left;
}
