/** Sweeps once a minute, in the process that holds the lease. If it dies or hangs, the lease expires. */
import { hostname } from 'node:os';
import { randomBase62 } from '../domain/ids.ts';
import type { Services } from '../services/services.ts';
import { claimSweepLease, releaseSweepLease } from '../store/upkeep/sweep-lease.ts';
import { sweep } from '../use-cases/upkeep/sweep.ts';
import { startLoop } from './background-loop.ts';

const sweepEveryMs = 60_000;
/** A process that is killed is replaced after this. */
const leaseMs = 10_000;
/** Four of these may fail before the lease is lost. */
const claimEveryMs = 2_000;

/** Rejects if the lease cannot even be asked for: then background work cannot run. */
export async function startSweeps(services: Services) {
  const { maintenance, backgroundReports } = services;
  // Host and process are for people who read the table; the rest makes it unique.
  const owner = `${hostname()} ${process.pid} ${randomBase62(8)}`;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let nextSweepMs = 0;
  let isStopped = false;
  let sweeping: Promise<void> | undefined;

  // The clock goes on while a process is suspended, so a sweep that resumes too late stops by itself.
  const isLost = () => isStopped || performance.now() > heldUntilMs;
  const claim = async () => {
    const askedAtMs = performance.now();
    const isNew = askedAtMs > heldUntilMs;
    const isHeld = await claimSweepLease(maintenance, owner, leaseMs);
    heldUntilMs = isHeld ? askedAtMs + leaseMs : Number.NEGATIVE_INFINITY;
    // Whoever takes over does not wait for the next minute: the work of the former owner may be half done.
    if (isNew) nextSweepMs = 0;
  };
  const sweepIfDue = () => {
    if (isLost() || sweeping || performance.now() < nextSweepMs) return;
    nextSweepMs = performance.now() + sweepEveryMs;
    sweeping = sweep({ ...services, database: maintenance }, isLost).finally(() => {
      sweeping = undefined;
    });
  };

  await claim();
  sweepIfDue();
  const round = async () => {
    await claim();
    sweepIfDue();
    return false;
  };
  const loop = startLoop('sweep-lease', backgroundReports, round, { tickMs: claimEveryMs });
  return {
    stop: async () => {
      isStopped = true;
      await loop.stop();
      await sweeping;
      // If this fails, the lease expires.
      await releaseSweepLease(maintenance, owner).catch(() => undefined);
    },
  };
}
