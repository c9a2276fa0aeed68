/** Runs one step of the sweep by itself: a step that fails is reported, and the steps after it still run. */
import { saveStepFailure, saveStepSuccess } from '../store/upkeep/background-steps.ts';
import type { Services } from './services.ts';

/** True when the time of a step is over, or the process ends. A step checks it after each page or entry, and then stops. */
export type IsOver = () => boolean;

export type Step = {
  readonly name: string;
  readonly msMax: number;
  /** Returns how much is left for the next sweep. */
  readonly run: (services: Services, isOver: IsOver) => Promise<number>;
};

export async function runStep(services: Services, { name, msMax, run }: Step, isEnding: IsOver) {
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
