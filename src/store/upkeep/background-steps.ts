/** What the steps of the sweep did last. Whichever process ran a step writes its row, so all processes read the same. */
import type { Queryable } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { execute, listRows } from '../query.ts';

export type StepReport = {
  readonly step: string;
  /** Null until the step has succeeded once. */
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastDurationMs: number;
  readonly failures: number;
  /** What is left for the next run; null if nobody knows. */
  readonly backlog: number | null;
};

export function listStepReports(database: Queryable) {
  return listRows<StepReport>(database, [], 'list-step-reports')`
    select ${columnsOf('step, lastSuccessAt, lastFailureAt, lastDurationMs, failures, backlog')}
      from background_steps order by step`;
}

type StepRun = {
  readonly step: string;
  readonly at: Date;
  readonly durationMs: number;
};

export async function saveStepSuccess(
  database: Queryable,
  { step, at, durationMs, backlog }: StepRun & { readonly backlog: number },
) {
  await execute(database, [step, at, Math.round(durationMs), backlog])`
    insert into background_steps (step, last_success_at, last_duration_ms, failures, backlog)
    values ($1, $2, $3, 0, $4)
    on conflict (step) do update set last_success_at = excluded.last_success_at,
      last_duration_ms = excluded.last_duration_ms, backlog = excluded.backlog`;
}

/** The backlog of the last success stays: a step that failed does not know what is left. */
export async function saveStepFailure(database: Queryable, { step, at, durationMs }: StepRun) {
  await execute(database, [step, at, Math.round(durationMs)])`
    insert into background_steps as s (step, last_failure_at, last_duration_ms, failures)
    values ($1, $2, $3, 1)
    on conflict (step) do update set last_failure_at = excluded.last_failure_at,
      last_duration_ms = excluded.last_duration_ms, failures = s.failures + 1`;
}
