/** Runs one step of the sweep by itself: a step that fails is reported, and the steps after it still run. */
import type { Clock } from '../domain/time.ts';
import type { Database } from '../postgres/database.ts';
import { saveStepFailure, saveStepSuccess } from '../store/upkeep/background-steps.ts';
import type { BackgroundReports } from './background-reports.ts';

type Needs = {
  readonly database: Database;
  readonly clock: Clock;
  readonly backgroundReports: Pick<BackgroundReports, 'logFailure'>;
};

/** True when the time of a step is over, or the process ends. A step checks it after each page or entry, and then stops. */
export type IsOver = () => boolean;

export type Step<Services> = {
  readonly name: string;
  readonly msMax: number;
  /** Returns how much is left for the next sweep. */
  readonly run: (services: Services, isOver: IsOver) => Promise<number>;
};

export async function runStep<Services extends Needs>(
  services: Services,
  { name, msMax, run }: Step<Services>,
  isEnding: IsOver,
): Promise<void> {
  const { database, clock, backgroundReports } = services;
  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  const runSoFar = () => ({ step: name, at: clock(), durationMs: elapsedMs() });
  try {
    const backlog = await run(services, () => isEnding() || elapsedMs() > msMax);
    await saveStepSuccess(database, { ...runSoFar(), backlog });
  } catch (error) {
    backgroundReports.logFailure(name, error);
    // Without a database nothing can be saved. The step is then late, which readers of its last success notice.
    await saveStepFailure(database, runSoFar()).catch(() => undefined);
  }
}
