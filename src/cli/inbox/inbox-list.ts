/** `inbox list`: prints the newest deliveries, of all states or of one, page by page. */
import { listDeliveries } from '../../use-cases/inbox/list-deliveries.ts';
import { defineCommand } from '../framework/command.ts';
import {
  accountOption,
  afterOption,
  effort,
  limitOption,
  openScope,
  readLimit,
  readSince,
  sinceOption,
} from '../framework/page-options.ts';
import { renderList } from '../framework/render-list.ts';
import { type DescribedView, deliveryColumns, describedView } from './delivery-view.ts';
import { readAccountId } from './inbox-show.ts';
import { readState, stateOption } from './state-option.ts';

export const inboxList = defineCommand({
  name: ['inbox', 'list'],
  summary: 'List the newest deliveries.',
  description:
    'Lists deliveries of the providers, newest first, one line each. The event and the amount come from the stored body; a dash means that it was pruned or does not say. A page looks at 20,000 deliveries at most.',
  options: {
    ...accountOption,
    ...stateOption,
    ...sinceOption('Only deliveries received since then.'),
    ...limitOption,
    ...afterOption,
  },
  examples: ['inbox list --state parked', 'inbox list --account acc_… --since 24h --limit 20'],
  prepare: ({ values }) => {
    const { account, after } = values;
    const state = readState(values.state);
    const sinceAt = readSince(values.since);
    const limit = readLimit(values.limit);
    if (after !== undefined) readAccountId(after);
    return {
      run: async (services, _config, warn) => {
        const scope = await openScope(services, account, warn);
        const filter = { state, since: sinceAt(services.clock()) };
        const query = { filter, after, limit, effort };
        const { deliveries, next } = await listDeliveries(services, scope, query);
        return {
          deliveries: deliveries.map(describedView),
          ...(next && { next: next.deliveryId }),
        };
      },
      render: (outcome, screen) => {
        const { deliveries, next } = outcome as { deliveries: DescribedView[]; next?: string };
        return renderList(deliveries, deliveryColumns, next, screen);
      },
    };
  },
});
