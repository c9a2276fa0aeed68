/** What the callers saw during one fault: those of accounts on the faulty node, and the others. */
import {
  type AnswerCounts,
  type CommonFigures,
  countAnswers,
  isGood,
  longestGap,
  longestPause,
  untilNext,
} from '../figures.ts';
import type { Answer } from '../load.ts';
import type { Watch } from '../watch.ts';

export type CitusFigures = CommonFigures & {
  /** The longest time in which the faulty node committed nothing. */
  readonly nodeGapMs: number;
  /** Of the accounts whose rows are on the faulty node. All accounts need the coordinator. */
  readonly affected: GroupFigures;
  /** Null if there are no others. */
  readonly others: GroupFigures | null;
  /** Transactions that waited for the coordinator to decide them, after the node was back, and how long. */
  readonly inDoubt: number;
  readonly inDoubtMs: number;
};

type GroupFigures = AnswerCounts & {
  /** The longest time without an answer of 2xx, by service. */
  readonly gapsMs: readonly number[];
  /** From the first commit of the node after its pause to the first write that is answered 2xx, by service. */
  readonly afterCommitMs: readonly number[];
};

type CitusWindow = {
  readonly from: number;
  readonly to: number;
  readonly node: string;
  readonly isAffected: (accountId: string) => boolean;
};

export function measureCitus(
  { from, to, node, isAffected }: CitusWindow,
  all: readonly Answer[],
  serviceNames: readonly string[],
  watch: Watch,
): AnswerCounts & Pick<CitusFigures, 'nodeGapMs' | 'affected' | 'others'> {
  const answers = all.filter(({ at }) => at >= from && at <= to);
  const pause = longestPause(from, to, watch.commits(node));
  const measureGroup = (group: readonly Answer[]): GroupFigures => {
    const goodOf = (name: string) =>
      group.filter(({ service, status }) => service === name && isGood(status));
    return {
      ...countAnswers(group),
      gapsMs: serviceNames.map((name) => longestGap(from, to, goodOf(name))),
      afterCommitMs: serviceNames.map((name) => {
        const writes = goodOf(name).filter(({ kind }) => kind !== 'enquiry');
        return untilNext(
          writes.map(({ at }) => at),
          pause.to,
          to,
        );
      }),
    };
  };
  const others = answers.filter(({ accountId }) => !isAffected(accountId));
  return {
    ...countAnswers(answers),
    nodeGapMs: Math.round(pause.to - pause.from),
    affected: measureGroup(answers.filter(({ accountId }) => isAffected(accountId))),
    others: others.length > 0 ? measureGroup(others) : null,
  };
}
