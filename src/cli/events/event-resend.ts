/** `event resend`: sends one event again, or all since a time. Contract 12.7. */
import { commandLine } from '../../domain/audit.ts';
import { showEvent } from '../../use-cases/events/list-events.ts';
import { resendEvents } from '../../use-cases/events/resend-events.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { readSince, sinceOption } from '../framework/common-options.ts';
import { readEndpointId } from './endpoint-view.ts';
import { eventArgument, readEventKey } from './event-show.ts';

export const eventResend = defineCommand({
  name: ['event', 'resend'],
  summary: 'Send an event again, or all since a time.',
  description:
    'Makes an event due now, whatever became of it before; with --since, all events that occurred since then. The service sends them within a second, with the same ids and bodies as before.',
  arguments: [{ ...eventArgument, isOptional: true }],
  options: {
    ...sinceOption('All events since then.'),
    endpoint: { value: 'ID', text: 'Only to this endpoint.' },
  },
  examples: ['event resend evt_…', 'event resend --since 24h --endpoint ep_…'],
  read: ({ values, positionals: [eventId] }) => {
    if ((eventId === undefined) === (values.since === undefined)) {
      throw new UsageError('Give an event id, or a time with --since TIME.');
    }
    const event = eventId === undefined ? undefined : readEventKey(eventId);
    const sinceAt = readSince(values.since);
    const endpointId = values.endpoint === undefined ? undefined : readEndpointId(values.endpoint);
    return { eventId, event, sinceAt, endpointId };
  },
  run: async (services, { eventId, event, sinceAt, endpointId }) => {
    const since = sinceAt(services.clock()) ?? services.clock();
    const range = event ? { event } : { since };
    const { resent, pruned } = await resendEvents(services, range, endpointId, commandLine);
    if (event && resent + pruned === 0) {
      const isKnown = (await showEvent(services, event)) !== undefined;
      throw new RefusedError(
        isKnown
          ? `Event ${eventId} was not for ${endpointId ? `endpoint ${endpointId}` : 'any endpoint that still exists'}.`
          : `There is no event ${eventId}.`,
      );
    }
    if (event && resent === 0) {
      throw new RefusedError(
        `Event ${eventId} cannot be sent again: its body was pruned by age (EVENT_DAYS).`,
      );
    }
    return { resent, ...(pruned > 0 && { notResentBodyPruned: pruned }) };
  },
});
