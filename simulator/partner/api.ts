/** The partner's Orders, Payments, Refunds and Disputes API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isCurrency } from '../money.ts';
import { idOf } from '../random.ts';
import type { PartnerShop } from '../shops.ts';
import { answerRead, type StartCalls } from '../start-call.ts';
import { basicCredentials, object, text, texts, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { readBankAccount } from './bank-account.ts';
import { readCapture } from './capture-settings.ts';
import { asOfNow } from './holds.ts';
import { collection, disputeRecord, orderRecord, paymentRecord, refundRecord } from './records.ts';
import { refundReferences, startPartnerRefund } from './refunds.ts';
import { badRequest, partnerFaults, unauthorized, unknownId } from './refusals.ts';
import {
  type PartnerOrder,
  type PartnerPayment,
  type PartnerState,
  paymentsOf,
  referenceOf,
  referencesOf,
  refundsOf,
} from './state.ts';

type ById = { Params: { id: string } };

const receiptLengthMax = 40;
const noteCountMax = 15;
const ordersPerPageMax = 100;

export function addPartnerApi(
  app: FastifyInstance,
  world: World,
  state: PartnerState,
  answerStart: StartCalls,
): void {
  addStarts(app, world, state, answerStart);
  addReads(app, world, state);
}

function addStarts(
  app: FastifyInstance,
  world: World,
  state: PartnerState,
  answerStart: StartCalls,
): void {
  app.post('/v1/orders', async (request, reply) => {
    const shop = await authenticate(world, request);
    const body = object(request.body);
    const notes = object(body.notes);
    return answerStart(reply, {
      provider: 'partner',
      operation: 'start-payment',
      references: texts(notes.svc_transaction_id, body.receipt, notes.svc_order_id, notes.order_id),
      answers: partnerFaults,
      effect: () => {
        const order = readOrder(world, state, shop, body);
        state.orders.set(order.id, order);
        return { id: order.id, status: 200, body: orderRecord(order) };
      },
    });
  });

  app.post<ById>('/v1/payments/:id/refund', async (request, reply) => {
    const shop = await authenticate(world, request);
    const payment = own(shop, state.payments.get(request.params.id));
    const body = object(request.body);
    const wished = readRefund(payment.id, body, text(request.headers['x-refund-idempotency']));
    return answerStart(reply, {
      provider: 'partner',
      operation: 'start-refund',
      references: refundReferences(state, payment, wished),
      paymentReference: referenceOf(payment, state.orders.get(payment.orderId)),
      answers: partnerFaults,
      effect: () => {
        // Read again: another refund may have been made while this call waited.
        const current = own(shop, state.payments.get(payment.id));
        const refund = startPartnerRefund(world, state, shop, current, wished);
        return { id: refund.id, status: 200, body: refundRecord(refund) };
      },
    });
  });
}

function addReads(app: FastifyInstance, world: World, state: PartnerState): void {
  app.get<{ Querystring: { receipt?: string; count?: string; skip?: string } }>(
    '/v1/orders',
    (request, reply) => {
      const { receipt, count = '10', skip = '0' } = request.query;
      return fetched(request, reply, receipt ?? '', texts(receipt), ({ keyId }, lagMs) => {
        const wanted = Math.min(Number(count) || 10, ordersPerPageMax);
        const first = Number(skip) || 0;
        const found = [...state.orders.values()]
          .filter((order) => order.keyId === keyId)
          .filter((order) => receipt === undefined || order.receipt === receipt)
          .reverse();
        return listRecords(world, found.slice(first, first + wanted), lagMs, orderRecord);
      });
    },
  );
  getById('/v1/orders/:id', (id, shop) => orderRecord(own(shop, state.orders.get(id))));
  getById('/v1/orders/:id/payments', (id, shop, lagMs) => {
    const order = own(shop, state.orders.get(id));
    const payments = paymentsOf(state, order.id).map((payment) => now(shop, payment));
    return listRecords(world, payments, lagMs, paymentRecord);
  });
  getById('/v1/payments/:id', (id, shop) => {
    const payment = own(shop, state.payments.get(id));
    return paymentRecord(now(shop, payment));
  });
  getById('/v1/payments/:id/refunds', (id, shop, lagMs) => {
    const payment = now(shop, own(shop, state.payments.get(id)));
    return listRecords(world, refundsOf(state, payment.id), lagMs, refundRecord);
  });
  getById('/v1/refunds/:id', (id, shop) => refundRecord(ofOwn(shop, state.refunds.get(id))));
  getById('/v1/disputes/:id', (id, shop) => disputeRecord(ofOwn(shop, state.disputes.get(id))));

  function getById(
    url: string,
    find: (id: string, shop: PartnerShop, lagMs: number) => Wire,
  ): void {
    app.get<ById>(url, (request, reply) => {
      const { id } = request.params;
      const references = referencesOfId(state, id);
      return fetched(request, reply, id, references, (shop, lagMs) => find(id, shop, lagMs));
    });
  }

  async function fetched(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    references: readonly string[],
    find: (shop: PartnerShop, lagMs: number) => Wire,
  ): Promise<FastifyReply> {
    const shop = await authenticate(world, request);
    const { url } = request;
    const call = { provider: 'partner', references, url, id, answers: partnerFaults } as const;
    return answerRead(world, reply, { ...call, find: (lagMs) => find(shop, lagMs) });
  }

  function now(shop: PartnerShop, payment: PartnerPayment): PartnerPayment {
    return asOfNow(world, state, shop, payment);
  }

  function ofOwn<T extends { readonly paymentId: string }>(shop: PartnerShop, found?: T): T {
    own(shop, state.payments.get(found?.paymentId ?? ''));
    if (!found) throw unknownId();
    return found;
  }
}

/** A list that lags behind leaves out what is younger. */
function listRecords<T extends { readonly createdAt: number }>(
  { now }: World,
  found: readonly T[],
  lagMs: number,
  toRecord: (entry: T) => Wire,
): Wire {
  const isListed = ({ createdAt }: T) => createdAt * 1000 + lagMs <= now();
  return collection(found.filter(isListed).map(toRecord));
}

/** Of an order, or of the order of a payment, refund or dispute. */
function referencesOfId(state: PartnerState, id: string): string[] {
  const { orders, payments, refunds, disputes } = state;
  const payment = payments.get((refunds.get(id) ?? disputes.get(id))?.paymentId ?? id);
  const order = orders.get(payment?.orderId ?? id);
  return order ? referencesOf(order) : [];
}

export async function authenticate(
  world: World,
  { headers }: FastifyRequest,
): Promise<PartnerShop> {
  const { name, password } = basicCredentials(headers.authorization);
  const shop = await world.shops.findPartner(name);
  if (!shop || shop.keySecret !== password) throw unauthorized();
  return shop;
}

function readOrder(
  world: World,
  state: PartnerState,
  { keyId }: PartnerShop,
  body: Wire,
): PartnerOrder {
  const { amount, currency } = body;
  if (!isAmount(amount)) throw badRequest('The amount must be an integer of at least 1.');
  if (!isCurrency(currency)) throw badRequest('Currency is not supported');
  const receipt = text(body.receipt) ?? null;
  if (receipt && receipt.length > receiptLengthMax) {
    throw badRequest(`The receipt may not be greater than ${receiptLengthMax} characters.`);
  }
  const bankAccount = readBankAccount(body);
  const method = text(body.method);
  return {
    id: newOrderId(world, state, JSON.stringify([keyId, receipt, body.notes ?? world.now()])),
    keyId,
    amount,
    currency,
    receipt,
    notes: readNotes(body.notes),
    createdAt: Math.floor(world.now() / 1000),
    attempts: 0,
    isPaid: false,
    capture: readCapture(body),
    ...(bankAccount && { bankAccount }),
    ...(method && { method }),
    checkout: { notes: {} },
  };
}

/** Derived from what it is for, so that a restarted simulator does not reuse an id for something else. */
function newOrderId(world: World, state: PartnerState, label: string): string {
  for (let count = 0; ; count += 1) {
    const id = `order_${idOf(world.seed, `order:${label}:${count}`, 14)}`;
    if (!state.orders.has(id)) return id;
  }
}

function readRefund(paymentId: string, body: Wire, idempotencyKey: string | undefined) {
  if (idempotencyKey !== undefined && !/^[A-Za-z0-9_-]{10,}$/.test(idempotencyKey)) {
    throw badRequest('The idempotency key must have at least 10 letters, digits, - or _');
  }
  const amount = body.amount ?? undefined;
  if (amount !== undefined && !isAmount(amount)) {
    throw badRequest('The amount must be an integer of at least 1.');
  }
  return {
    amount,
    receipt: text(body.receipt) ?? null,
    notes: readNotes(body.notes),
    speed: text(body.speed) ?? 'normal',
    request: JSON.stringify({ paymentId, body }),
    idempotencyKey,
  };
}

export function readNotes(value: unknown): Wire {
  const notes = Array.isArray(value) ? {} : object(value);
  if (Object.keys(notes).length > noteCountMax) {
    throw badRequest(`Number of fields in notes should be less than or equal to ${noteCountMax}`);
  }
  return notes;
}

function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Records of another shop are answered as if they did not exist. */
export function own<T extends { readonly keyId: string }>(
  shop: PartnerShop,
  found: T | undefined,
): T {
  if (found?.keyId !== shop.keyId) throw unknownId();
  return found;
}
