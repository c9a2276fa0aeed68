/** The gateway's REST API: hosted checkout sessions, refunds, captures, voids, and retrieving orders. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { idOf } from '../random.ts';
import type { GatewayShop } from '../shops.ts';
import { answerRead, type StartCalls } from '../start-call.ts';
import { basicCredentials, object, texts, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { startGatewayCapture, startGatewayVoid } from './captures.ts';
import { type OperationRequest, operationReferences } from './operations.ts';
import { orderBody, transactionBody } from './records.ts';
import { startGatewayRefund } from './refunds.ts';
import { gatewayFaults, invalidCredentials, invalidRequest } from './refusals.ts';
import { readOperation, readSession } from './requests.ts';
import {
  type GatewayOrder,
  type GatewaySession,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
} from './state.ts';

type Path = { Params: { version: string; merchant: string; order: string; transaction: string } };

const prefix = '/api/rest/version/:version/merchant/:merchant';

export function addGatewayApi(
  app: FastifyInstance,
  world: World,
  state: GatewayState,
  answerStart: StartCalls,
): void {
  addStarts(app, world, state, answerStart);
  addReads(app, world, state);
}

function addStarts(
  app: FastifyInstance,
  world: World,
  state: GatewayState,
  answerStart: StartCalls,
): void {
  app.post<Path>(`${prefix}/session`, async (request, reply) => {
    const shop = await authenticate(world, request);
    const body = object(request.body);
    const order = object(body.order);
    return answerStart(reply, {
      provider: 'bank-gateway',
      operation: 'start-payment',
      references: texts(order.id, order.reference),
      answers: gatewayFaults,
      effect: () => {
        const session = openSession(world, state, shop, request.params.version, body);
        state.sessions.set(session.id, session);
        return { id: session.id, status: 201, body: sessionBody(session) };
      },
    });
  });

  app.put<Path>(`${prefix}/order/:order/transaction/:transaction`, async (request, reply) => {
    const shop = await authenticate(world, request);
    const { transaction: id } = request.params;
    const order = getOrder(state, request);
    const wished = readOperation(id, object(request.body));
    return answerStart(reply, {
      provider: 'bank-gateway',
      operation: operations[wished.apiOperation],
      references: operationReferences(order, wished),
      paymentReference: order.id,
      answers: gatewayFaults,
      effect: () => {
        // Read again: another call may have taken effect while this one waited.
        const made = start(world, state, shop, getOrder(state, request), wished);
        const body = transactionBody(getOrder(state, request), made);
        return { id: `${order.id}|${id}`, status: 201, body };
      },
    });
  });
}

const operations = {
  REFUND: 'start-refund',
  CAPTURE: 'start-capture',
  VOID: 'start-void',
} as const;

function start(
  world: World,
  state: GatewayState,
  shop: GatewayShop,
  order: GatewayOrder,
  wished: OperationRequest,
): GatewayTransaction {
  switch (wished.apiOperation) {
    case 'REFUND':
      return startGatewayRefund(world, state, shop, order, wished);
    case 'CAPTURE':
      return startGatewayCapture({ world, state, shop }, order, wished);
    case 'VOID':
      return startGatewayVoid({ world, state, shop }, order, wished);
    default:
      return wished satisfies never;
  }
}

function addReads(app: FastifyInstance, world: World, state: GatewayState): void {
  app.get<Path>(`${prefix}/order/:order`, (request, reply) =>
    fetched(world, state, request, reply, request.params.order, orderBody),
  );
  app.get<Path>(`${prefix}/order/:order/transaction/:transaction`, (request, reply) => {
    const { order: orderId, transaction: id } = request.params;
    return fetched(world, state, request, reply, `${orderId}|${id}`, (order) => {
      const found = order.transactions.find((transaction) => transaction.id === id);
      if (!found) throw invalidRequest(`Unable to find transaction ${id} of order ${orderId}.`);
      return transactionBody(order, found);
    });
  });
}

async function fetched(
  world: World,
  state: GatewayState,
  request: FastifyRequest<Path>,
  reply: FastifyReply,
  id: string,
  find: (order: GatewayOrder) => Wire,
): Promise<FastifyReply> {
  await authenticate(world, request);
  const { merchant, order: orderId } = request.params;
  const { url } = request;
  return answerRead(world, reply, {
    provider: 'bank-gateway',
    references: texts(orderId, state.orders.get(orderKey(merchant, orderId))?.reference),
    url,
    id,
    answers: gatewayFaults,
    find: (lagMs) => find(asOf(getOrder(state, request), world.now() - lagMs)),
  });
}

/** The order as a list shows it that lags behind: without what is younger. */
function asOf(order: GatewayOrder, time: number): GatewayOrder {
  const transactions = order.transactions.filter(
    ({ timeOfRecord }) => Date.parse(timeOfRecord) <= time,
  );
  if (transactions.length === 0) throw invalidRequest(`Unable to find order ${order.id}.`);
  return { ...order, transactions };
}

async function authenticate(world: World, request: FastifyRequest<Path>): Promise<GatewayShop> {
  const { merchant } = request.params;
  const { name, password } = basicCredentials(request.headers.authorization);
  const shop = await world.shops.findGateway(merchant);
  const isRight = name === `merchant.${merchant}` && shop?.password === password;
  if (!shop || !isRight) throw invalidCredentials();
  return shop;
}

function getOrder(state: GatewayState, { params }: FastifyRequest<Path>): GatewayOrder {
  const order = state.orders.get(orderKey(params.merchant, params.order));
  if (!order) throw invalidRequest(`Unable to find order ${params.order}.`);
  return order;
}

function openSession(
  world: World,
  state: GatewayState,
  { merchantId }: GatewayShop,
  apiVersion: string,
  body: Wire,
): GatewaySession {
  const wished = readSession(body);
  return {
    ...wished,
    id: newSessionId(world, state, merchantId, wished.orderId),
    merchantId,
    apiVersion,
    successIndicator: idOf(world.seed, `success:${merchantId}:${wished.orderId}`, 16).toLowerCase(),
  };
}

/** Derived from what it is for, so that a restarted simulator does not reuse an id for something else. */
function newSessionId(
  world: World,
  state: GatewayState,
  merchantId: string,
  orderId: string,
): string {
  for (let count = 0; ; count += 1) {
    const id = `SESSION${idOf(world.seed, `session:${merchantId}:${orderId}:${count}`, 24)}`;
    if (!state.sessions.has(id)) return id;
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
