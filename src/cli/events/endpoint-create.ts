/** `endpoint create`: adds a URL that events are sent to, and prints its secret. Contract 12.1. */
import { commandLine } from '../../domain/audit.ts';
import { createEndpoint } from '../../use-cases/events/endpoints.ts';
import { cliCall, defineCommand } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';
import { endpointOptions, endpointView, untilEverybodyKnows } from './endpoint-view.ts';

export const endpointCreate = defineCommand({
  name: ['endpoint', 'create'],
  summary: 'Add a URL that events are sent to.',
  description:
    'Adds an endpoint to an account and prints its secret, which is shown this once. Everything that happens after the command has ended is sent to it.',
  arguments: [accountArgument],
  options: { ...endpointOptions, url: { ...endpointOptions.url, isRequired: true } },
  examples: [
    'endpoint create acc_… --url https://shop.example/events',
    'endpoint create acc_… --url https://shop.example/events --event order_completed --event refund_success',
  ],
  prepare: ({ values: { url, event = [] }, positionals: [accountId = ''] }) => ({
    run: async (services) => {
      const created = await createEndpoint(
        services,
        accountId,
        { url, events: event },
        commandLine,
      );
      await untilEverybodyKnows();
      const { endpoint_id, account_id, url: sentTo, events } = endpointView(created);
      return { endpoint_id, account_id, url: sentTo, secret: created.secret, events };
    },
    advise: ({ endpoint_id }) => [`Send it a test event: ${cliCall} endpoint test ${endpoint_id}`],
  }),
});
