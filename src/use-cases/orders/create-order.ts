/**
 * Creates an order for an invoice, or returns the order that the same request created before. An invoice never has more
 * than one order, also when its requests are concurrent. Contract 3.5.
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
import { addSeconds } from '../../domain/time.ts';
import { sealContent } from '../../services/consumer-data-key.ts';
import { findUnpayable } from '../../services/order-routes.ts';
import type { Services } from '../../services/services.ts';
import type { InsertedOrder } from '../../store/orders/insert-orders.ts';
import { findOrderByInvoice } from '../../store/orders/orders.ts';
import { applyParked, unparkDeliveries } from '../inbox/unpark-deliveries.ts';
import { identifyConsumer } from './identify-consumer.ts';
import { issueOrderTokens } from './order-tokens.ts';

/** Another `insert` may store more than the order in the same commit. `replayed`: an earlier request created the order. */
export async function createOrder(
  services: Services,
  accountId: string,
  request: OrderRequest,
  insert: (order: Order) => Promise<InsertedOrder> = services.batches.insertOrder,
) {
  const account = await services.accounts.get(accountId);
  const decided = decideOrder(request, account);
  checkCallback({}, request.details, account, 'merchant');
  const order = buildOrder(services, account, request, decided);
  await refuseUnpayable(services, account, order);
  const { isNew, parked } = await insert(order);
  const stored = isNew ? order : await getReplayedOrder(services, order);
  // If this fails, the caller gets an error. The repeated call finds the order and unparks the deliveries.
  if (isNew) await applyParked(services, accountId, parked);
  else await unparkDeliveries(services, accountId, [stored.orderId, stored.invoiceId]);
  return { order: stored, tokens: await issueOrderTokens(services, stored), replayed: !isNew };
}

/** A repeat is answered by what it repeats, whatever the account offers by now. Contract 3.14. */
async function refuseUnpayable(services: Services, account: Account, order: Order): Promise<void> {
  const why = findUnpayable(services, account, order);
  if (why === undefined) return;
  const { accountId, invoiceId } = order;
  if (await findOrderByInvoice(services.database, accountId, invoiceId)) return;
  throw new ServiceError('PAYMENT_MODE_NOT_ALLOWED', why);
}

function buildOrder(
  services: Pick<Services, 'clock' | 'settings'>,
  account: Account,
  request: OrderRequest,
  decided: DecidedOrder,
): Order {
  const createdAt = services.clock();
  const { lapseSeconds = services.settings.orderLapseSeconds } = request;
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
    ...sealContent(account, orderId, decided.details, hash('sha256', decided.content, 'buffer')),
    createdAt,
    lapsesAt: request.lapsesAt ?? addSeconds(createdAt, lapseSeconds),
    flags: [],
  };
}

async function getReplayedOrder(
  services: Pick<Services, 'database' | 'clock'>,
  sent: Order,
): Promise<Order> {
  const stored = await findOrderByInvoice(services.database, sent.accountId, sent.invoiceId);
  if (!stored) throw new Error('an invoice that could not be inserted has no order');
  // The connection was lost after the commit, and the insert was retried.
  if (stored.orderId === sent.orderId) return stored;
  if (!stored.contentDigest.equals(sent.contentDigest)) {
    throw new ServiceError(
      'DUPLICATE_INVOICE_ID',
      `invoice_id ${sent.invoiceId} has an order with other content: send the same content again, or use a new invoice_id.`,
    );
  }
  const status = orderStatus(stored, services.clock());
  if (!isOpen(status)) {
    throw new ServiceError(
      'DUPLICATE_INVOICE_ID',
      `invoice_id ${sent.invoiceId} has an order that is ${status}: use a new invoice_id for a new order.`,
    );
  }
  return stored;
}
