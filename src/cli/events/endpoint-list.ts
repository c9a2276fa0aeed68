/** `endpoint list`: prints the endpoints of all accounts or of one, without secrets. */
import { listAllEndpoints, listEndpoints } from '../../store/accounts/endpoints.ts';
import { defineCommand } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { type Column, renderTable } from '../framework/table.ts';
import { endpointView } from './endpoint-view.ts';

export const endpointList = defineCommand({
  name: ['endpoint', 'list'],
  summary: 'Print endpoints, without their secrets.',
  description:
    'Prints the endpoints of all accounts or of one, with the reason if one is disabled.',
  options: accountOption,
  examples: ['endpoint list', 'endpoint list --account acc_…'],
  run: async ({ database, accounts }, { values: { account } }) => {
    await checkAccount({ accounts }, account);
    const endpoints =
      account === undefined ? listAllEndpoints(database) : listEndpoints(database, account);
    return { endpoints: (await endpoints).map(endpointView) };
  },
  render: ({ endpoints }, screen) => renderTable(endpoints, columns, screen),
});

const columns: ReadonlyArray<Column<ReturnType<typeof endpointView>>> = [
  { title: 'ENDPOINT', text: ({ endpointId }) => endpointId },
  { title: 'ACCOUNT', text: ({ accountId }) => accountId },
  { title: 'URL', text: ({ url }) => url, widthMax: 60 },
  {
    title: 'STATE',
    text: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    style: ({ enabled }) => (enabled ? 'green' : 'red'),
  },
  { title: 'REASON', text: ({ disabledReason }) => disabledReason },
  { title: 'EVENTS', text: ({ events }) => events.join(',') },
];
