/** Counts the calls that start something, so that a test can prove that a provider was asked, or did it, only once. */
import type { Operation, ProviderName } from './api-call.ts';

export type CallCount = {
  readonly provider: ProviderName;
  readonly operation: Operation;
  /** Our reference of the payment that the calls were about. */
  readonly reference: string;
  /** All calls of the shop, whatever went wrong with them. */
  readonly arrived: number;
  /** What they made. A repeat that is answered with the first result makes nothing. */
  readonly made: number;
};

type Counted = Pick<CallCount, 'provider' | 'operation' | 'reference'>;

export type CallCounts = ReturnType<typeof openCallCounts>;

export function openCallCounts() {
  const counts = new Map<string, Counted & { arrived: number; readonly madeIds: Set<string> }>();

  return {
    addArrived: (call: Counted) => {
      find(call).arrived += 1;
    },
    addMade: (call: Counted, id: string) => void find(call).madeIds.add(id),
    list: (): CallCount[] =>
      [...counts.values()].map(({ madeIds, ...count }) => ({ ...count, made: madeIds.size })),
  };

  function find({ provider, operation, reference }: Counted) {
    const key = `${provider} ${operation} ${reference}`;
    const count = counts.get(key) ?? {
      provider,
      operation,
      reference,
      arrived: 0,
      madeIds: new Set(),
    };
    counts.set(key, count);
    return count;
  }
}
