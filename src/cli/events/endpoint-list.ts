/** `endpoint list`: prints the endpoints of all accounts or of one, without secrets. */
import { listAllEndpoints, listEndpoints } from '../../store/accounts/endpoints.ts';
import { defineCommand } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { renderList } from '../framework/list.ts';
import type { Column } from '../framework/table.ts';
import { endpointView } from './endpoint-view.ts';

type EndpointView = ReturnType<typeof endpointView>;

export const endpointList = defineCommand({
  name: ['endpoint', 'list'],
  summary: 'Print endpoints, without their secrets.',
  description:
    'Prints the endpoints of all accounts or of one, with the reason if one is disabled.',
  options: accountOption,
  examples: ['endpoint list', 'endpoint list --account acc_…'],
  prepare: ({ values: { account } }) => ({
    run: async ({ database, accounts }) => {
      if (account === undefined) {
        return { endpoints: (await listAllEndpoints(database)).map(endpointView) };
      }
      await checkAccount({ accounts }, account);
      return { endpoints: (await listEndpoints(database, account)).map(endpointView) };
    },
    render: (outcome, screen) =>
      renderList((outcome as { endpoints: EndpointView[] }).endpoints, columns, undefined, screen),
  }),
});

const columns: ReadonlyArray<Column<EndpointView>> = [
  { title: 'ENDPOINT', text: (shown) => shown.endpoint_id },
  { title: 'ACCOUNT', text: (shown) => shown.account_id },
  { title: 'URL', text: ({ url }) => url, widthMax: 60 },
  {
    title: 'STATE',
    text: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    style: ({ enabled }) => (enabled ? 'green' : 'red'),
  },
  { title: 'REASON', text: (shown) => shown.disabled_reason },
  { title: 'EVENTS', text: ({ events }) => events.join(',') },
];
