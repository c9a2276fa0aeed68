/** The list of orders behind a figure: it has as many orders as the figure counts. */
import type { OrderFilter } from '../orders/order-filter.ts';
import type { Figure } from './figure.ts';

type FigureKey = Pick<Figure, 'kind' | 'name' | 'currency'>;

/** The period must consist of whole half hours, as those of an overview do. */
export function filterOfFigure(
  figure: FigureKey,
  { from, to }: { readonly from: Date; readonly to: Date },
): OrderFilter {
  return { ...conditionOf(figure), currency: figure.currency, from, to };
}

function conditionOf({ kind, name }: FigureKey): OrderFilter {
  switch (kind) {
    case 'created':
      return {};
    case 'completed':
      return { status: 'completed' };
    case 'paid':
      return { payment: { status: 'succeeded' } };
    case 'failed':
      return { payment: { status: 'failed' } };
    case 'refunded':
      return { isRefunded: true };
    case 'mode':
      return { payment: { status: 'succeeded', mode: name } };
    case 'provider':
      return { payment: { status: 'succeeded', provider: name } };
    case 'failure':
      return { payment: { status: 'failed', failure: name } };
    default:
      return kind satisfies never;
  }
}
