/** The columns and promises of a run on Patroni. */
import type { FaultFigures } from '../figures.ts';
import { type Report, range, seconds, sumsOf } from '../report.ts';

/** Contract 15.2: a promoted server is found in this time, once it commits. */
const servingMsMax = 2_000;

export const patroniReport: Report<FaultFigures> = {
  heading: [
    'fault',
    '2xx',
    '503',
    'other',
    'promoted',
    'no commit',
    'no 2xx',
    'after promotion',
    'after commit',
    'lost',
    'doubled',
  ],
  rowOf: (figures) => {
    const services = Object.values(figures.services);
    const { good, unavailable, other } = sumsOf(figures);
    return [
      figures.text,
      ...[good, unavailable, other].map(String),
      seconds(figures.promotionMs),
      seconds(figures.databaseGapMs),
      range(services.map(({ gapMs }) => gapMs)),
      range(services.map(({ afterPromotionMs }) => afterPromotionMs)),
      range(services.map(({ afterCommitMs }) => afterCommitMs)),
      ...[figures.lost, figures.doubled].map(({ length }) => String(length)),
    ];
  },
  brokenIn: ({ services }) =>
    Object.entries(services)
      .filter(([, { afterCommitMs }]) => afterCommitMs > servingMsMax)
      .map(([name, { afterCommitMs }]) => `${name} served ${afterCommitMs} ms after a commit`),
};
