/** Whether and how changes of orders are announced to their shop. Contract 12.2. */
import type { Account } from '../domain/accounts/account.ts';
import { isEnabled } from '../domain/accounts/endpoint.ts';
import type { OrderEvent } from '../domain/events/list-events.ts';
import type { EventKey } from '../domain/ids.ts';
import type { Transaction } from '../postgres/database.ts';
import type { EndpointKey } from '../store/accounts/endpoints.ts';
import type { AccountDirectory } from './account-directory.ts';
import type { Enquiry } from './enquiry.ts';

type StartDeliveries = (endpoints: readonly EndpointKey[]) => void;

export type RenderedEvent = { readonly status: string; readonly body: string };

export type ChangeToRender = {
  readonly account: Account;
  /** Shows the transactions that events of this change are about, but for one that was removed. */
  readonly enquiry: Enquiry;
  readonly occurredAt: Date;
};

export type EventToRender = OrderEvent & { readonly key: EventKey };

export type Announcer = ReturnType<typeof createAnnouncer>;

/** What the events of one change have in common is rendered once. */
export function createAnnouncer(
  accounts: Pick<AccountDirectory, 'recall' | 'findWithin'>,
  renderChange: (change: ChangeToRender) => (event: EventToRender) => RenderedEvent,
) {
  let listener: StartDeliveries = () => {};
  const hasEndpoint = (account: Account | undefined) => account?.endpoints.some(isEnabled) === true;
  return {
    /** The account if it has an enabled endpoint. For one without, this costs a look into the cache. */
    findAnnouncing: async (tx: Transaction, accountId: string) => {
      const account = accounts.recall(accountId) ?? (await accounts.findWithin(tx, accountId));
      return hasEndpoint(account) ? account : undefined;
    },
    /** The same as far as the cache knows. If it is wrong, more is read later. */
    isAnnouncing: (accountId: string) => hasEndpoint(accounts.recall(accountId)),
    renderChange,
    /** Called after the commit, so that the events are sent at once, and not by the next round of the sender. */
    startDeliveries: (endpoints: readonly EndpointKey[]) => listener(endpoints),
    /** One listener: the sender. Without one, as in a command, another process finds the events. */
    listen: (startDeliveries: StartDeliveries) => {
      listener = startDeliveries;
    },
  };
}
