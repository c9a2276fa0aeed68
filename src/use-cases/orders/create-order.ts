/**
 * Creates an order for an invoice, or finds the one made before: an invoice has one order for
 * ever, however often and however much at once it is sent. Contract 3.5.
 */
import { hash } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newOrderId } from '../../domain/ids.ts';
import { checkCallback } from '../../domain/orders/callback.ts';
import { isOpen, type Order, orderStatus } from '../../domain/orders/order.ts';
import {
  type DecidedOrder,
  decideOrder,
  type OrderRequest,
} from '../../domain/orders/order-request.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import { sealContent } from '../../services/consumer-data-key.ts';
import type { NeedsOf } from '../../services/needs.ts';
import type { ServiceSettings } from '../../services/services.ts';
import type { Batches } from '../../store/batches.ts';
import { findOrderByInvoice } from '../../store/orders.ts';
import { applyParked, unparkDeliveries } from '../inbox/unpark-deliveries.ts';
import { identifyConsumer } from './identify-consumer.ts';
import { issueOrderTokens, type OrderTokens } from './order-tokens.ts';

type Needs = NeedsOf<typeof applyParked> &
  NeedsOf<typeof unparkDeliveries> &
  NeedsOf<typeof issueOrderTokens> & {
    readonly database: Database;
    readonly batches: Batches;
    readonly accounts: AccountDirectory;
    readonly clock: Clock;
    readonly settings: Pick<ServiceSettings, 'orderLapseSeconds'>;
  };

export type CreatedOrder = {
  readonly order: Order;
  readonly tokens: OrderTokens;
  /** The invoice had this very order already. */
  readonly replayed: boolean;
};

export async function createOrder(
  services: Needs,
  accountId: string,
  request: OrderRequest,
): Promise<CreatedOrder> {
  const account = await services.accounts.get(accountId);
  const decided = decideOrder(request, account);
  checkCallback({}, request.details, account, 'merchant');
  const order = buildOrder(services, account, request, decided);
  const { isNew, waiting } = await services.batches.insertOrder(order);
  const kept = isNew ? order : await getReplayedOrder(services, order, decided);
  // Should it fail, the order is not confirmed: the same call again finds it, and wakes them.
  if (isNew) await applyParked(services, accountId, waiting);
  else await unparkDeliveries(services, accountId, [kept.orderId, kept.invoiceId]);
  return { order: kept, tokens: await issueOrderTokens(services, kept), replayed: !isNew };
}

function buildOrder(
  services: Needs,
  account: Account,
  request: OrderRequest,
  decided: DecidedOrder,
): Order {
  const createdAt = services.clock();
  const { user } = decided.details;
  const orderId = newOrderId(createdAt);
  return {
    accountId: account.accountId,
    orderId,
    invoiceId: request.invoiceId,
    savedStatus: 'new',
    attempts: 0,
    amounts: decided.amounts,
    conversion: decided.conversion,
    userId: user ? identifyConsumer(account, user) : null,
    restricted: false,
    ...sealContent(account, orderId, decided.details, digestOf(decided)),
    createdAt,
    lapsesAt: addSeconds(createdAt, services.settings.orderLapseSeconds),
    flags: [],
  };
}

function digestOf({ content }: DecidedOrder): Buffer {
  return hash('sha256', content, 'buffer');
}

async function getReplayedOrder(
  services: Needs,
  sent: Order,
  decided: DecidedOrder,
): Promise<Order> {
  const kept = await findOrderByInvoice(services.database, sent.accountId, sent.invoiceId);
  if (!kept) throw new Error('an invoice that could not be inserted has no order');
  // The same request again: the connection was lost after the insert, and it was repeated.
  if (kept.orderId === sent.orderId) return kept;
  // The digest without a key is that of an order whose bank account is not sealed yet.
  const digests = [sent.contentDigest, digestOf(decided)];
  if (!digests.some((digest) => kept.contentDigest.equals(digest))) {
    throw new ServiceError(
      'DUPLICATE_INVOICE_ID',
      `invoice_id ${sent.invoiceId} has an order with other content: send the same content again, or use a new invoice_id.`,
    );
  }
  const status = orderStatus(kept, services.clock());
  if (!isOpen(status)) {
    throw new ServiceError(
      'DUPLICATE_INVOICE_ID',
      `invoice_id ${sent.invoiceId} has an order that is ${status}: use a new invoice_id for a new order.`,
    );
  }
  return kept;
}
