/** The columns and promises of a run on Citus. */
import { type Report, range, seconds, sumsOf } from '../report.ts';
import type { CitusFigures } from './figures.ts';

/** How long the accounts of a worker may wait for an answer of 2xx after the worker commits again. */
const servingMsMax = 5_000;

export const citusReport: Report<CitusFigures> = {
  heading: [
    'fault',
    '2xx',
    '503',
    'other',
    'no commit',
    'no 2xx',
    '2xx after commit',
    'others: 2xx',
    '503',
    'no 2xx',
    'in doubt',
    'for',
    'lost',
    'doubled',
  ],
  rowOf: ({ text, affected, others, nodeGapMs, inDoubt, inDoubtMs, lost, doubled }) => {
    const own = sumsOf(affected);
    const rest = others && sumsOf(others);
    return [
      text,
      ...[own.good, own.unavailable, own.other + (rest?.other ?? 0)].map(String),
      seconds(nodeGapMs),
      range(affected.gapsMs),
      range(affected.afterCommitMs),
      ...[rest?.good, rest?.unavailable].map((count) => String(count ?? '-')),
      range(others?.gapsMs ?? []),
      String(inDoubt),
      seconds(inDoubtMs),
      ...[lost, doubled].map(({ length }) => String(length)),
    ];
  },
  brokenIn: ({ affected }) =>
    affected.afterCommitMs
      .filter((milliseconds) => milliseconds > servingMsMax)
      .map((milliseconds) => `served ${milliseconds} ms after a commit`),
};
