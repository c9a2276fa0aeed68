/** What was understood of a delivery, in the field names of the API: a notice field by field, or why it is none. */
import type { Translation } from '../../domain/inbox/translation.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { shownName, shownValue } from '../../domain/why/shown.ts';
import { wire } from './why-view.ts';

export function understoodView(understood: Translation) {
  if (understood.kind !== 'notice') return wire(understood);
  const { references, payment, refund } = understood.notice;
  return {
    kind: 'notice',
    references: wire(references),
    payment: payment ? noticeView(payment) : null,
    refund: refund ? noticeView(refund) : null,
  };
}

/** Times and amounts of a notice are in milliseconds and minor units. */
function noticeView(notice: { readonly currency?: string }) {
  const { currency = null } = notice;
  const show = (field: string, value: unknown) =>
    withSnakeCase(shownValue(field, value, currency, 'text'));
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => {
      if (name === 'statusSinceMs') return ['status_since', show('statusSinceAtMs', value)];
      if (name !== 'capturedTotal') return [shownName(name), show(name, value)];
      const [total] = show('parts', [value]) as unknown[];
      return ['captured_total', total];
    }),
  );
}
