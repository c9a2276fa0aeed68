/**
 * Names the first of several reports of one value as what set it. The fold ranks them, and their rank is no matter of
 * arrival, so the history and the inbox are asked. docs/decisions/0044.
 */
import { type AnyNotice, type Decision, isRequest } from '../payments/ranking.ts';
import { causeOf } from './cause.ts';

/** `change` made the present value. Without it, no notice is known as its cause. */
export function isCauseOf(
  change: { readonly cause: string } | undefined,
  deliveryIdOf: (deliveryKey: string) => string | null,
): (notice: AnyNotice) => boolean {
  const cause = change && causeOf(change.cause);
  return (notice) =>
    isRequest(notice)
      ? cause?.kind === 'call' || cause?.kind === 'request'
      : cause?.kind === 'delivery' && cause.deliveryId === deliveryIdOf(notice.deliveryKey);
}

/**
 * Where the history names none of them, a report that changed nothing when it was applied yields to one that did. A
 * capture is repeated by reports of itself only.
 */
export function nameFirstReport(
  own: Decision<AnyNotice>,
  isCause: (notice: AnyNotice) => boolean,
  isStale: (deliveryKey: string) => boolean,
): Decision<AnyNotice> {
  let { lost } = own;
  const setBy = own.setBy.map((setter) => {
    if (typeof setter === 'string' || isCause(setter)) return setter;
    const repeats = lost.filter(
      ({ notice, rule }) =>
        rule === 'also-reported' &&
        (own.setBy.length === 1 || notice.pspTransactionId === setter.pspTransactionId),
    );
    const first =
      repeats.find(({ notice }) => isCause(notice)) ??
      (isStale(setter.deliveryKey)
        ? repeats.find(({ notice }) => !isStale(notice.deliveryKey))
        : undefined);
    if (!first) return setter;
    lost = [{ ...first, notice: setter }, ...lost.filter((mention) => mention !== first)];
    return first.notice;
  });
  return { ...own, setBy, lost };
}
