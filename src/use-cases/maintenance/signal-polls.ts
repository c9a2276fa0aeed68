/** Signals due polls to the poll jobs, because a slow provider must not delay the sweep. Contract 11.7. */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { JobSignals, Poll } from '../../services/job-signals.ts';
import { countDuePolls } from '../../store/backlogs.ts';
import { listDuePolls } from '../../store/polls.ts';

type Needs = {
  readonly database: Database;
  readonly polls: JobSignals<Poll>;
  readonly clock: Clock;
};

const signalledMax = 5_000;

/** Returns how many polls were due beyond those that were signalled. */
export async function signalPolls({ database, clock, polls }: Needs): Promise<number> {
  const now = clock();
  const due = await listDuePolls(database, now, signalledMax);
  for (const poll of due) polls.signal({ ...poll, at: now });
  return due.length < signalledMax ? 0 : (await countDuePolls(database, now)) - due.length;
}
