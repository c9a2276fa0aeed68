/** What refunds, captures and voids have in common: the request, its repeat, and results that change later. */

import { invalidRequest } from './refusals.ts';
import { type Saving, saveTransactions } from './save-transactions.ts';
import { type GatewayOrder, type GatewayTransaction, orderKey } from './state.ts';

type Request = {
  readonly id: string;
  readonly reference: string | undefined;
  readonly targetTransactionId: string | undefined;
  /** Undefined if it was made on the gateway's own pages. */
  readonly request: string | undefined;
};

export type MoneyRequest = Request & { readonly amount: number; readonly currency: string };

export type VoidRequest = Request;

export type OperationRequest =
  | (MoneyRequest & { readonly apiOperation: 'REFUND' | 'CAPTURE' })
  | (VoidRequest & { readonly apiOperation: 'VOID' });

/** The references of the request come first, then those of its order. */
export function operationReferences(
  order: Pick<GatewayOrder, 'id' | 'reference'>,
  { id, reference }: Pick<Request, 'id' | 'reference'>,
): string[] {
  return [id, reference, order.id, order.reference].filter((name) => name !== undefined);
}

/** Idempotent by the transaction id: a repeat of the same request returns the first transaction. */
export function findRepeat(
  { transactions }: GatewayOrder,
  { id, request }: Request,
): GatewayTransaction | undefined {
  const known = transactions.find((transaction) => transaction.id === id);
  if (known && known.request !== request) {
    throw invalidRequest(`Transaction id ${id} was used for another request.`);
  }
  return known;
}

type Result = Pick<GatewayTransaction, 'result' | 'gatewayCode'>;

export const approved: Result = { result: 'SUCCESS', gatewayCode: 'APPROVED' };
export const submitted: Result = { result: 'PENDING', gatewayCode: 'SUBMITTED' };
export const declined: Result = { result: 'FAILURE', gatewayCode: 'DECLINED' };

/** What a transaction is at first, and what becomes of it. */
export type Results = [Result, ...(Result & { readonly afterMs: number })[]];

type Played = Pick<GatewayTransaction, 'type' | 'amount' | 'currency'> & {
  /** Whether what was declined can still be made. */
  readonly isPossible: (order: GatewayOrder) => boolean;
  /** The gateway reported what it is about as failed before. */
  readonly wasFailed?: boolean | undefined;
  readonly onMade?: (order: GatewayOrder) => void;
};

export function playResults(
  saving: Saving,
  { merchantId, id: orderId }: GatewayOrder,
  { id, reference, targetTransactionId, request }: Request,
  { isPossible, wasFailed = false, onMade, ...fields }: Played,
  [first, ...later]: Results,
): GatewayTransaction {
  const { world, state, scenario } = saving;
  const now = new Date(world.now()).toISOString();
  const begun: GatewayTransaction = {
    id,
    ...fields,
    ...first,
    timeOfRecord: now,
    timeOfLastUpdate: now,
    ...(reference && { reference }),
    ...(targetTransactionId && { targetTransactionId }),
    ...(request !== undefined && { request }),
  };
  save(begun, wasFailed);
  world.schedule.run(async () => {
    let isDeclined = first.result === 'FAILURE';
    for (const { afterMs, ...result } of later) {
      await world.schedule.wait(afterMs, scenario.delayMs);
      const order = state.orders.get(orderKey(merchantId, orderId));
      const isMade = result.result === 'SUCCESS';
      // What was reported as failed may have been requested again in the meantime.
      if (!order || (isMade && isDeclined && !isPossible(order))) return;
      const timeOfLastUpdate = new Date(world.now()).toISOString();
      save({ ...begun, ...result, timeOfLastUpdate }, isDeclined || wasFailed);
      isDeclined = result.result === 'FAILURE';
    }
  });
  return begun;

  function save(transaction: GatewayTransaction, isAfterFailure: boolean): void {
    const order = state.orders.get(orderKey(merchantId, orderId));
    if (!order) return;
    const saved = saveTransactions(saving, order, [transaction], isAfterFailure);
    if (transaction.result === 'SUCCESS') onMade?.(saved);
  }
}
