/** Polls everything that is due now, as the background does, and waits for it. */
import { providers } from '../../src/providers/providers.ts';
import type { Services } from '../../src/services/services.ts';
import { createDuePolls } from '../../src/use-cases/payments/poll-due.ts';

export async function pollAllDue(services: Services): Promise<void> {
  const errors: unknown[] = [];
  for (const { name } of providers) {
    const polls = createDuePolls(services, name, { onError: (error) => errors.push(error) });
    while (await polls.startDue()) await polls.settled();
    await polls.settled();
  }
  if (errors.length > 0) throw errors[0];
}
