/** `inbox list`: prints the newest deliveries, of all states or of one, page by page. */
import { listDeliveries } from '../../use-cases/inbox/list-deliveries.ts';
import { defineList, effort, listScope } from '../framework/list.ts';
import { deliveryColumns, describedView, stateOption } from './delivery-view.ts';
import { readAccountId } from './inbox-show.ts';

export const inboxList = defineList({
  name: ['inbox', 'list'],
  summary: 'List the newest deliveries.',
  description:
    'Lists deliveries of the providers, newest first, one line each. The event and the amount come from the stored body; a dash means that it was pruned or does not say. A page looks at 20,000 deliveries at most.',
  options: stateOption,
  since: 'Only deliveries received since then.',
  examples: ['inbox list --state parked', 'inbox list --account acc_… --since 24h --limit 20'],
  rows: 'deliveries',
  columns: deliveryColumns,
  prepare: ({ state, after: afterText }) => {
    if (afterText !== undefined) readAccountId(afterText);
    return async (services, page) => {
      const { since, after, limit } = page;
      const query = { filter: { state, since }, after, limit, effort };
      const scope = await listScope(services, page);
      const { deliveries, next } = await listDeliveries(services, scope, query);
      return { rows: deliveries.map(describedView), next: next?.deliveryId };
    };
  },
});
