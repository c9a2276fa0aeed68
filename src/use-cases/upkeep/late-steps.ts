/** Which steps of the background have not succeeded for too long. Contract 1.8. */
import { limits } from '../../domain/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { listStepReports, type StepReport } from '../../store/upkeep/background-steps.ts';
import { sweepSteps } from './sweep.ts';

/** A step that has not run yet is not late: the first sweep after a start runs all of them. */
export async function listLateSteps(
  services: Pick<Services, 'database' | 'backgroundReports' | 'clock'>,
): Promise<string[]> {
  const lateBefore = addSeconds(services.clock(), -limits.stepLateSeconds);
  return mergeSteps(services, await listStepReports(services.database))
    .filter(({ lastSuccessAt, failures }) =>
      lastSuccessAt === null ? failures > 0 : lastSuccessAt < lateBefore,
    )
    .map(({ step }) => step);
}

/** The steps of the sweep that exist today, and the loops of this process, which replace steps of the same name. */
export function mergeSteps(
  { backgroundReports }: Pick<Services, 'backgroundReports'>,
  stored: readonly StepReport[],
): StepReport[] {
  const isKnown = ({ step }: StepReport) => sweepSteps.some(({ name }) => name === step);
  const all = [...stored.filter(isKnown), ...backgroundReports.listLoops()];
  return [...new Map(all.map((report) => [report.step, report])).values()];
}
