/** Sweeps once a minute, in the process that holds the lease. If it dies or hangs, the lease expires. */
import { hostname } from 'node:os';
import { randomBase62 } from '../domain/ids.ts';
import type { Services } from '../services/services.ts';
import { claimSweepLease, releaseSweepLease } from '../store/upkeep/sweep-lease.ts';
import { sweep } from '../use-cases/upkeep/sweep.ts';
import { startLoop } from './background-loop.ts';

/** A process that is killed is replaced after this. Claims wait while slow statements have all connections. */
const leaseMs = 30_000;
const claimEveryMs = 2_000;
/** A sweep takes a minute, and a few on a slow database. One that takes longer hangs, and the next one starts beside it. */
const usual = { everyMs: 60_000, msMax: 600_000 };

/** Rejects if the lease cannot even be asked for: then background work cannot run. */
export async function startSweeps(services: Services, { everyMs, msMax } = usual) {
  const { maintenance, backgroundReports } = services;
  // Host and process are for people who read the table; the rest makes it unique.
  const owner = `${hostname()} ${process.pid} ${randomBase62(8)}`;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let nextSweepMs = 0;
  let isStopped = false;
  let sweeping: Promise<void> | undefined;
  let sweepEndsMs = 0;

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
    const nowMs = performance.now();
    if (isLost() || nowMs < nextSweepMs || (sweeping && nowMs < sweepEndsMs)) return;
    nextSweepMs = nowMs + everyMs;
    const endsMs = nowMs + msMax;
    sweepEndsMs = endsMs;
    const isOver = () => isLost() || performance.now() > endsMs;
    const own = sweep({ ...services, database: maintenance }, isOver).finally(() => {
      if (sweeping === own) sweeping = undefined;
    });
    sweeping = own;
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
