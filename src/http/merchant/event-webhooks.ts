/** The events in the API reference: one webhook for each type. Loaded when the reference is built. Contract 12.2 to 12.5. */
import { toCamelCase } from '../open-api/components.ts';
import type { Operation, Paths, Schema } from '../open-api/model.ts';
import { mapValues } from '../open-api/named-schemas.ts';
import { orSealedEvent, sealedExamples } from '../open-api/sealed.ts';
import { eventSchemas, type SentEventType } from './event-schemas.ts';
import examples from './examples/events.json' with { type: 'json' };

/** The summary, and what a shop should know of it. */
const texts: Readonly<Record<SentEventType, readonly [string, string]>> = {
  payment_authorized: [
    'A payment was authorised',
    'The bank holds the amount. Nothing is paid yet.',
  ],
  payment_success: [
    'A payment succeeded',
    'Deliver at order_completed: the amount of the payment may differ from that of the order.',
  ],
  payment_failed: ['A payment failed', 'The bank can still confirm it later.'],
  payment_reversed: ['A payment was released', 'The order may not be completed any more.'],
  refund_pending: ['A refund was started', 'Its result follows.'],
  refund_success: ['A refund succeeded', 'The provider has made the refund.'],
  refund_failed: ['A refund failed', 'The amount can be refunded again; failure_reason says why.'],
  capture_pending: ['A capture is on its way', 'Its result follows.'],
  capture_success: ['A payment was captured', 'The amount is in capture: it may be a part.'],
  capture_failed: ['A capture failed', 'The payment is still authorised until its hold ends.'],
  void_pending: ['A void is on its way', 'Its result follows.'],
  void_success: ['A hold was released', 'Nothing more can be captured.'],
  void_failed: ['A void failed', 'The payment may be captured.'],
  dispute_created: ['A payment is disputed', 'Send your evidence until respond_by.'],
  dispute_updated: ['A dispute has changed', 'Such as its phase, its amount or its deadline.'],
  dispute_won: ['A dispute was won', 'The amount can be refunded again.'],
  dispute_lost: ['A dispute was lost', 'amount_deducted was taken from you.'],
  dispute_closed: ['A dispute was closed', 'The amount can be refunded again.'],
  order_completed: ['An order is paid', 'Deliver, once.'],
  order_lapsed: ['An order lapsed', 'It was not paid in time. A late payment still completes it.'],
  review_needed: ['Something needs a person', 'message names the flag.'],
  test: ['A test of the endpoint', 'Sent on request of the operator. It belongs to no order.'],
};

export function describeWebhooks(): Paths {
  return mapValues(eventSchemas, (schema, name) => ({
    post: operationOf(name as SentEventType, schema as Schema),
  }));
}

function operationOf(type: SentEventType, schema: Schema): Operation {
  const [summary, advice] = texts[type];
  return {
    operationId: toCamelCase(`receive-${type.replaceAll('_', '-')}-event`),
    summary,
    description: `${summary}. ${advice}`,
    tags: ['Events'],
    parameters: ['id', 'timestamp', 'signature'].map((name) => ({
      $ref: `#/components/parameters/webhook-${name}`,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: orSealedEvent(schema),
          examples: { [type]: examples.requests[type], ...sealedExamples.event },
        },
      },
    },
    responses: {
      '200': { description: 'Any 2xx within 15 seconds: the event is delivered.' },
      '410': {
        description: 'Disables the endpoint. Every other answer lets the event be sent again.',
      },
    },
    security: [],
  };
}
