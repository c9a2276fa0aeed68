/** Runs the steps of the sweep that delete old data, and no others. A step that fails fails the test. */
import { sweepSteps } from '../../src/use-cases/upkeep/sweep.ts';

type Needs = Parameters<(typeof sweepSteps)[number]['run']>[0];

export async function prune(services: Needs): Promise<void> {
  for (const { name, run } of sweepSteps) {
    if (/^(prune|expire)-/.test(name)) await run(services, () => false);
  }
}
