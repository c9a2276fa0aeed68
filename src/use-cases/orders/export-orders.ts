/**
 * Exports a filtered list of orders as CSV, page by page, so that memory does not grow with the list. The audit log says
 * who did. Contract 13.3 and 13.4.
 */
import type { Actor } from '../../domain/audit.ts';
import { maskFields } from '../../domain/cards/card-fields.ts';
import { maskUser } from '../../domain/consumers/mask.ts';
import { type CsvCell, csvLine } from '../../domain/csv.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { formatAmount, type MinorUnits } from '../../domain/money/money.ts';
import type { User } from '../../domain/orders/order.ts';
import type { OrderFilter } from '../../domain/orders/order-filter.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { type ListedOrder, listOrders } from './list-orders.ts';

type ExportOptions = {
  readonly filter: OrderFilter;
  /** Masks the consumer as for an order token. Contract 2.3. */
  readonly isMasked: boolean;
};

/**
 * Each text has whole lines; the first one is the header. The entry is written before anything is sent: somebody who
 * aborts an export has what came until then.
 */
export async function exportOrders(
  services: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  accountId: string,
  options: ExportOptions,
): Promise<AsyncGenerator<string, void>> {
  const details = { ...describe(options.filter), masked: options.isMasked };
  const exported = { accountId, action: 'orders.exported', object: accountId, details } as const;
  await services.database.transaction((tx) => appendAudit(tx, actor, services.clock(), exported));
  return writeOrders(services, accountId, options);
}

/** In the names of the address. Some values are any text. */
function describe({
  amountMin,
  amountMax,
  payment,
  isRefunded,
  isDisputed,
  ...filter
}: OrderFilter) {
  const amountOf = (minor: MinorUnits | undefined) =>
    minor === undefined ? undefined : formatAmount(minor, displayExponent(filter.currency ?? ''));
  return maskFields({
    ...filter,
    amount_min: amountOf(amountMin),
    amount_max: amountOf(amountMax),
    payment_status: payment?.status,
    mode: payment?.mode,
    provider: payment?.provider,
    failure: payment?.failure,
    refunded: isRefunded && 'yes',
    disputed: isDisputed && 'yes',
  });
}

async function* writeOrders(
  services: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  { filter, isMasked }: ExportOptions,
): AsyncGenerator<string, void> {
  yield csvLine(columns.map(([title]) => title));
  for await (const rows of eachPage(services, accountId, filter)) {
    yield rows
      .map((row) => (isMasked ? { ...row, user: row.user && maskUser(row.user) } : row))
      .map((row) => csvLine(columns.map(([, cellOf]) => cellOf(row))))
      .join('');
  }
}

const pageSize = 500;

async function* eachPage(
  services: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  filter: OrderFilter,
): AsyncGenerator<readonly ListedOrder[], void> {
  let after: string | undefined;
  do {
    const page = await listOrders(services, accountId, { filter, after, limit: pageSize });
    if (page.orders.length > 0) yield page.orders;
    after = page.next;
  } while (after !== undefined);
}

const columns: ReadonlyArray<readonly [title: string, cellOf: (row: ListedOrder) => CsvCell]> = [
  ['order_id', ({ orderId }) => orderId],
  ['invoice_id', ({ invoiceId }) => invoiceId],
  ['created_at', ({ createdAt }) => createdAt.toISOString()],
  ['status', ({ status }) => status],
  ['currency', ({ currency }) => currency],
  ['total_amount', (row) => money(row, row.total)],
  ['paid_amount', (row) => money(row, row.paid)],
  ['refunded_amount', (row) => money(row, row.refunded)],
  ['attempts', ({ attempts }) => ({ number: String(attempts) })],
  ['payment_status', ({ payment }) => payment?.status ?? null],
  ['payment_mode', ({ payment }) => payment?.mode ?? null],
  ['provider', ({ payment }) => payment?.provider ?? null],
  ['failure', ({ payment }) => payment?.failure ?? null],
  ['transaction_id', ({ payment }) => payment?.transactionId ?? null],
  ['flags', ({ flags }) => flags.join(' ')],
  ['first_name', ({ user }) => user?.firstName ?? null],
  ['last_name', ({ user }) => user?.lastName ?? null],
  ['email', ({ user }) => user?.email ?? null],
  ['mobile_number', ({ user }) => phoneOf(user)],
];

function money({ currency }: ListedOrder, minor: MinorUnits): CsvCell {
  return { number: formatAmount(minor, displayExponent(currency)) };
}

function phoneOf(user: User | null): CsvCell {
  if (user?.mobileNumber === undefined) return null;
  return { phone: `${user.countryCode} ${user.mobileNumber}` };
}
