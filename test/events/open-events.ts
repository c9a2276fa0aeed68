/** A service with endpoints and stored events, and rounds of the sender that the test starts itself. */
import { commandLine } from '../../src/domain/audit.ts';
import { eventLimits } from '../../src/domain/events/limits.ts';
import { newOrderId } from '../../src/domain/ids.ts';
import { addSeconds } from '../../src/domain/time.ts';
import { createAccountDirectory } from '../../src/services/account-directory.ts';
import type { Services } from '../../src/services/services.ts';
import { claimEvents } from '../../src/store/events/event-deliveries.ts';
import { insertEvents } from '../../src/store/events/events.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { createEndpoint, type NewEndpoint } from '../../src/use-cases/events/endpoints.ts';
import { holdAnswers, startShopEndpoint } from '../support/shop-endpoint.ts';
import { startTestService, type TestAccount, type TestService } from '../support/test-service.ts';

export type DeliveryRow = {
  readonly state: string;
  readonly attempts: number;
  readonly failures: number;
  readonly next_attempt_at: Date | null;
};

export type Attempt = { readonly status: number | null; readonly response: string | null };

export type Events = {
  readonly service: TestService;
  /** Like those of the service, but a changed account is seen at once. */
  readonly services: Services;
  readonly addAccount: (
    urls: readonly string[],
  ) => Promise<{ readonly account: TestAccount; readonly endpoints: readonly NewEndpoint[] }>;
  readonly addEndpoint: (url: string) => Promise<NewEndpoint>;
  /** Each of an order of its own, for all of these endpoints, due now. */
  readonly store: (endpoints: readonly NewEndpoint[], count?: number) => Promise<string[]>;
  /** Sends what is due, as a process would that ends after that. */
  readonly round: (services?: Services) => Promise<void>;
  /** As a process does that ends before it has sent anything. */
  readonly claim: (endpoint: NewEndpoint) => Promise<number>;
  readonly listDeliveries: (endpoint: NewEndpoint) => Promise<DeliveryRow[]>;
  readonly listAttempts: (endpoint: NewEndpoint) => Promise<Attempt[]>;
  readonly findReason: (endpoint: NewEndpoint) => Promise<string | null>;
};

export async function openEvents(): Promise<Events> {
  const service = await startTestService();
  const { database } = service;
  const services = withoutCache(service.services);
  const addAccount: Events['addAccount'] = async (urls) => {
    const account = await service.createAccount();
    const endpoints: NewEndpoint[] = [];
    for (const url of urls) {
      endpoints.push(
        await createEndpoint(services, account.accountId, { url, events: [] }, commandLine),
      );
    }
    return { account, endpoints };
  };
  const rowsOf = async <Row extends object>(text: string, endpoint: NewEndpoint) => {
    const values = [endpoint.accountId, endpoint.endpointId];
    return (await database.query<Row>({ text, values })).rows;
  };
  return {
    service,
    services,
    addAccount,
    addEndpoint: async (url) => {
      const [endpoint] = (await addAccount([url])).endpoints;
      if (!endpoint) throw new Error('no endpoint was created');
      return endpoint;
    },
    store: (endpoints, count = 1) => storeEvents(services, endpoints, count),
    round: async (of = services) => {
      const deliveries = createEventDeliveries(of);
      await deliveries.startDue();
      await deliveries.stop();
    },
    claim: async (endpoint) => {
      const now = services.clock();
      const claimedUntil = addSeconds(now, eventLimits.eventClaimSeconds);
      return (await claimEvents(database, endpoint, { now, claimedUntil, limit: 10 })).length;
    },
    listDeliveries: (endpoint) =>
      rowsOf<DeliveryRow>(
        `select state, attempts, failures, next_attempt_at from events
          where account_id = $1 and endpoint_id = $2 order by order_id, sequence`,
        endpoint,
      ),
    listAttempts: (endpoint) =>
      rowsOf<Attempt>(
        `select status, response from event_attempts
          where account_id = $1 and endpoint_id = $2 order by attempted_at, order_id, attempt`,
        endpoint,
      ),
    findReason: async (endpoint) => {
      const [row] = await rowsOf<{ disabled_reason: string | null }>(
        'select disabled_reason from endpoints where account_id = $1 and endpoint_id = $2',
        endpoint,
      );
      return row?.disabled_reason ?? null;
    },
  };
}

/** The time of its cache passes at every look, so that tests need not wait for it. */
function withoutCache(services: Services): Services {
  let nowMs = 0;
  const clock = () => {
    nowMs += 2_000;
    return nowMs;
  };
  return {
    ...services,
    accounts: createAccountDirectory(services.database, services.masterKeys, clock),
  };
}

async function storeEvents(
  { database, clock }: Services,
  endpoints: readonly NewEndpoint[],
  count: number,
): Promise<string[]> {
  const [first] = endpoints;
  if (!first) return [];
  const occurredAt = clock();
  const orderIds = Array.from({ length: count }, () => newOrderId(occurredAt));
  const events = orderIds.map((orderId) => ({
    accountId: first.accountId,
    orderId,
    sequence: 1,
    type: 'payment_success' as const,
    transactionId: null,
    status: 'succeeded',
    occurredAt,
    body: JSON.stringify({ svc_order_id: orderId }),
    endpointIds: endpoints.map(({ endpointId }) => endpointId),
  }));
  await database.transaction((tx) => insertEvents(tx, events));
  return orderIds;
}

/** Events are on their way to a new endpoint, which answers when `held.release` is called. */
export async function startHeldRound(events: Events, count = 1) {
  const receiver = await startShopEndpoint();
  const held = holdAnswers();
  receiver.answer = held.answer;
  const endpoint = await events.addEndpoint(receiver.url);
  const ids = await events.store([endpoint], count);
  const round = events.round();
  await receiver.waitFor(count);
  return { receiver, held, endpoint, ids, round };
}
