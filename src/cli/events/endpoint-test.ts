/** `endpoint test`: sends a test event now and prints what the endpoint answered. */
import { commandLine } from '../../domain/audit.ts';
import { testEndpoint } from '../../use-cases/events/test-endpoint.ts';
import { defineCommand } from '../framework/command.ts';
import { endpointArgument, readEndpoint } from './endpoint-view.ts';

export const endpointTest = defineCommand({
  name: ['endpoint', 'test'],
  summary: 'Send a test event now and print the answer.',
  description:
    'Sends an event of the type "test" with the sequence 0 and without an order, and prints the answer. It is not stored and not repeated. The exit status is 1 unless the answer is 2xx.',
  arguments: [endpointArgument],
  examples: ['endpoint test ep_…'],
  read: readEndpoint,
  run: async (services, endpointId) => {
    const tested = await testEndpoint(services, endpointId, commandLine);
    const { eventId, isDelivered: delivered, status, durationMs, response } = tested;
    return { endpointId, eventId, delivered, status, durationMs, response };
  },
  isFailure: ({ delivered }) => !delivered,
});
