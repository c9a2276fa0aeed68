/** The gateway's REST API: hosted checkout sessions, refunds, and retrieving orders. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isCurrency, minorOf } from '../money.ts';
import { idOf } from '../random.ts';
import type { GatewayShop } from '../shops.ts';
import type { StartCalls } from '../start-call.ts';
import { isWebAddress } from '../web-address.ts';
import { basicCredentials, object, text, texts, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { type GatewayBook, type GatewayOrder, type GatewaySession, orderKey } from './book.ts';
import { orderBody, transactionBody } from './records.ts';
import { type RefundRequest, refundReferences, startGatewayRefund } from './refunds.ts';
import { gatewayUnavailable, invalidCredentials, invalidRequest } from './refusals.ts';

type Path = { Params: { version: string; merchant: string; order: string; transaction: string } };

const prefix = '/api/rest/version/:version/merchant/:merchant';
const idLengthMax = 40;

export function addGatewayApi(
  app: FastifyInstance,
  world: World,
  book: GatewayBook,
  answerStart: StartCalls,
): void {
  app.post<Path>(`${prefix}/session`, async (request, reply) => {
    const shop = await authenticate(request);
    const body = object(request.body);
    const order = object(body.order);
    return answerStart(reply, {
      provider: 'bank-gateway',
      operation: 'start-payment',
      references: texts(order.id, order.reference),
      unavailable: gatewayUnavailable,
      effect: () => {
        const session = readSession(shop, request.params.version, body);
        book.sessions.set(session.id, session);
        return { id: session.id, status: 201, body: sessionBody(session) };
      },
    });
  });

  app.put<Path>(`${prefix}/order/:order/transaction/:transaction`, async (request, reply) => {
    const shop = await authenticate(request);
    const { transaction: id } = request.params;
    const order = getOrder(request);
    const wished = readRefund(id, object(request.body));
    return answerStart(reply, {
      provider: 'bank-gateway',
      operation: 'start-refund',
      references: refundReferences(order, wished),
      unavailable: gatewayUnavailable,
      effect: () => {
        // Read again: another refund may have been made while this one waited.
        const refund = startGatewayRefund(world, book, shop, getOrder(request), wished);
        const body = transactionBody(getOrder(request), refund);
        return { id: `${order.id}|${id}`, status: 201, body };
      },
    });
  });

  app.get<Path>(`${prefix}/order/:order`, (request) =>
    fetched(request, request.params.order, orderBody),
  );
  app.get<Path>(`${prefix}/order/:order/transaction/:transaction`, (request) => {
    const { order: orderId, transaction: id } = request.params;
    return fetched(request, `${orderId}|${id}`, (order) => {
      const found = order.transactions.find((transaction) => transaction.id === id);
      if (!found) throw invalidRequest(`Unable to find transaction ${id} of order ${orderId}.`);
      return transactionBody(order, found);
    });
  });

  async function fetched(
    request: FastifyRequest<Path>,
    id: string,
    find: (order: GatewayOrder) => Wire,
  ): Promise<Wire> {
    await authenticate(request);
    const body = find(getOrder(request));
    world.log(`bank-gateway: GET ${request.url}`);
    await world.beforeAnswer({ provider: 'bank-gateway', operation: 'fetch', id });
    return body;
  }

  async function authenticate(request: FastifyRequest<Path>): Promise<GatewayShop> {
    const { merchant } = request.params;
    const { name, password } = basicCredentials(request.headers.authorization);
    const shop = await world.shops.findGateway(merchant);
    const isRight = name === `merchant.${merchant}` && shop?.password === password;
    if (!shop || !isRight) throw invalidCredentials();
    return shop;
  }

  function getOrder({ params }: FastifyRequest<Path>): GatewayOrder {
    const order = book.orders.get(orderKey(params.merchant, params.order));
    if (!order) throw invalidRequest(`Unable to find order ${params.order}.`);
    return order;
  }

  function readSession({ merchantId }: GatewayShop, apiVersion: string, body: Wire) {
    const interaction = object(body.interaction);
    const order = object(body.order);
    if (body.apiOperation !== 'INITIATE_CHECKOUT') throw invalid('apiOperation');
    if (interaction.operation !== 'PURCHASE') throw invalid('interaction.operation');
    const { currency, notificationUrl } = order;
    const { returnUrl } = interaction;
    const orderId = readId(order.id, 'order.id');
    if (!isCurrency(currency)) throw invalid('order.currency');
    const session: GatewaySession = {
      id: newSessionId(merchantId, orderId),
      merchantId,
      orderId,
      amount: readAmount(order.amount, currency, 'order.amount'),
      currency,
      reference: text(order.reference),
      description: text(order.description),
      notificationUrl: isWebAddress(notificationUrl) ? notificationUrl : undefined,
      returnUrl: isWebAddress(returnUrl) ? returnUrl : undefined,
      shopName: text(object(interaction.merchant).name),
      apiVersion,
      successIndicator: idOf(world.seed, `success:${merchantId}:${orderId}`, 16).toLowerCase(),
    };
    return session;
  }

  /** By what it is for, so that a simulator started anew gives no id to something else. */
  function newSessionId(merchantId: string, orderId: string): string {
    for (let count = 0; ; count += 1) {
      const id = `SESSION${idOf(world.seed, `session:${merchantId}:${orderId}:${count}`, 24)}`;
      if (!book.sessions.has(id)) return id;
    }
  }
}

function sessionBody({ id, merchantId, successIndicator }: GatewaySession): Wire {
  return {
    checkoutMode: 'WEBSITE',
    merchant: merchantId,
    result: 'SUCCESS',
    session: { id, updateStatus: 'SUCCESS', version: successIndicator.slice(0, 10) },
    successIndicator,
  };
}

function readRefund(id: string, body: Wire): RefundRequest {
  if (body.apiOperation !== 'REFUND') throw invalid('apiOperation');
  const transaction = object(body.transaction);
  const { currency } = transaction;
  if (!isCurrency(currency)) throw invalid('transaction.currency');
  return {
    id: readId(id, 'transaction.id'),
    amount: readAmount(transaction.amount, currency, 'transaction.amount'),
    currency,
    reference: text(transaction.reference),
    targetTransactionId: text(transaction.targetTransactionId),
    request: JSON.stringify(body),
  };
}

function readId(value: unknown, field: string): string {
  const id = text(value);
  if (!id || id.length > idLengthMax) throw invalid(field);
  return id;
}

function readAmount(value: unknown, currency: string, field: string): number {
  const amount = minorOf(value, currency);
  if (!amount) throw invalid(field);
  return amount;
}

function invalid(field: string) {
  return invalidRequest(`Value of ${field} is missing or not valid.`);
}
