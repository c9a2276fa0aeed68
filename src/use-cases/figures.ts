/** What happened since the process started that an operator should know and no table tells. */
import type { ProviderName } from '../domain/notice.ts';

export type ProviderCall = {
  readonly provider: ProviderName;
  readonly operation: string;
  readonly outcome: string;
};

export type Figures = {
  readonly noteDelivery: (provider: ProviderName, at: Date) => void;
  readonly listLastDeliveries: () => { readonly provider: ProviderName; readonly at: Date }[];
  readonly noteCall: (call: ProviderCall) => void;
  readonly listCalls: () => (ProviderCall & { readonly count: number })[];
};

export function createFigures(): Figures {
  const lastDeliveries = new Map<ProviderName, Date>();
  const calls = new Map<string, ProviderCall & { readonly count: number }>();
  return {
    noteDelivery: (provider, at) => {
      lastDeliveries.set(provider, at);
    },
    listLastDeliveries: () => [...lastDeliveries].map(([provider, at]) => ({ provider, at })),
    noteCall: ({ provider, operation, outcome }) => {
      const name = `${provider} ${operation} ${outcome}`;
      const count = (calls.get(name)?.count ?? 0) + 1;
      calls.set(name, { provider, operation, outcome, count });
    },
    listCalls: () => [...calls.values()],
  };
}
