/** How each loop of the background is doing: written by the loops of this process, read by its metrics. */

export type LoopReport = {
  /** Null until the first round that ended without an error. */
  readonly succeededAt: Date | null;
  readonly durationMs: number;
  /** The last round took as much as it may, so more was due than one round can do. */
  readonly isBehind: boolean;
};

export type LoopReports = {
  readonly note: (loop: string, report: LoopReport) => void;
  readonly list: () => ReadonlyMap<string, LoopReport>;
};

export function createLoopReports(): LoopReports {
  const reports = new Map<string, LoopReport>();
  return {
    note: (loop, report) => {
      reports.set(loop, report);
    },
    list: () => reports,
  };
}
