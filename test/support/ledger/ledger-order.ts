/** An order of the ledger test with what its merchant asked for. */
import assert from 'node:assert/strict';
import { type Random, randomOf } from '../../../simulator/random.ts';
import type { Scenario } from '../../../simulator/scenario.ts';
import { cart } from '../../../tools/harness/cart.ts';
import type { FaultyProvider } from '../faulty-provider/faulty-provider.ts';
import type { ClosableProxy } from '../faulty-provider/proxy.ts';
import { issueMerchantToken } from '../merchant-token.ts';
import type { Reply, TestAccount, TestService } from '../test-service.ts';

export type LedgerShop = {
  readonly number: number;
  readonly account: TestAccount;
  readonly proxy: ClosableProxy;
};

export type AskedRefund = {
  readonly requestId: string;
  /** In minor units; undefined for everything. */
  readonly amount: number | undefined;
  readonly body: object;
  readonly key: string | undefined;
  /** Our ids of the refunds with which it was answered. */
  readonly refundIds: Set<string>;
};

export type LedgerOrder = {
  /** Stays the same in every run with the same seed. */
  readonly name: string;
  readonly shop: LedgerShop;
  readonly orderId: string;
  readonly invoiceId: string;
  /** In minor units. */
  readonly total: number;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly asked: AskedRefund[];
  /** How many payments were started. */
  starts: number;
};

export type LedgerStage = { readonly service: TestService; readonly provider: FaultyProvider };

/** A call of the merchant. Whatever the providers do, the service answers without a 5xx. */
export async function callAs(
  { service }: LedgerStage,
  { account: { accountId } }: LedgerShop,
  path: string,
  body: object,
  key?: string,
): Promise<Reply> {
  // A new one for each call: an earlier one may have expired when the clock was moved.
  const { token } = await issueMerchantToken(service.services, accountId);
  const reply = await service.call(`/api/v3/${path}`, {
    token,
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
  assert.ok(reply.status < 500, `${path} was answered ${reply.status}`);
  return reply;
}

export async function createLedgerOrder(
  stage: LedgerStage,
  shop: LedgerShop,
  seed: number,
  name: string,
): Promise<LedgerOrder> {
  const random = randomOf(seed, name);
  const total = 200 + Math.floor(random() * 500_000);
  const invoiceId = name.replace(' ', '-');
  const reply = await callAs(stage, shop, 'create-order', cart(invoiceId, toMajor(total)));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const orderId: string = reply.body.order_id;
  const scenario = stage.provider.spoil(orderId, name);
  return { name, shop, orderId, invoiceId, total, random, scenario, asked: [], starts: 0 };
}

/** All orders of the test are in a currency with two decimals. */
export const toMajor = (minor: number): string => (minor / 100).toFixed(2);

export const toMinor = (major: number): number => Math.round(major * 100);
