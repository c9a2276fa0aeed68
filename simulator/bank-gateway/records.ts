/** The gateway's records as they appear in its replies and notifications. */
import { majorNumber } from '../money.ts';
import { digitsOf, idOf, pick, randomOf } from '../random.ts';
import type { Wire } from '../wire.ts';
import type { GatewayOrder, GatewayTransaction, TransactionType } from './state.ts';
import { isApproved, totalsOf } from './totals.ts';

/** The reply to "retrieve order". */
export function orderBody(order: GatewayOrder): Wire {
  return {
    ...orderFields(order),
    merchant: order.merchantId,
    result: 'SUCCESS',
    transaction: order.transactions.map((transaction) => transactionBody(order, transaction)),
  };
}

/** The reply to "retrieve transaction", which is also the body of a notification. */
export function transactionBody(order: GatewayOrder, transaction: GatewayTransaction): Wire {
  const { merchantId, apiVersion } = order;
  return {
    ...(isConsumers(transaction.type) && authenticationFields(order, transaction)),
    gatewayEntryPoint: entryPointOf(transaction),
    merchant: merchantId,
    order: orderFields(order),
    response: responseFields(transaction),
    result: transaction.result,
    sourceOfFunds: { type: 'CARD', provided: { card: cardFields(order) } },
    timeOfLastUpdate: transaction.timeOfLastUpdate,
    timeOfRecord: transaction.timeOfRecord,
    transaction: transactionFields(order, transaction),
    version: apiVersion,
  };
}

/** Done by the consumer at the checkout; all others are done by the shop or the bank. */
function isConsumers(type: TransactionType): boolean {
  return type === 'AUTHENTICATION' || type === 'AUTHORIZATION' || type === 'PAYMENT';
}

function entryPointOf({ type, request }: GatewayTransaction): string {
  if (isConsumers(type)) return 'CHECKOUT_VIA_WEBSITE';
  return type === 'REFUND' || request !== undefined
    ? 'WEB_SERVICES_API'
    : 'MERCHANT_ADMINISTRATION';
}

function orderFields(order: GatewayOrder): Wire {
  const { id, currency, creationTime, reference, description, transactions } = order;
  const totals = totalsOf(order);
  const amount = majorNumber(order.amount, currency);
  const updates = transactions.map(({ timeOfLastUpdate }) => timeOfLastUpdate).sort();
  return {
    amount,
    authenticationStatus: authenticationStatus(lastAuthentication(order)),
    chargeback: { amount: majorNumber(totals.chargedBack, currency), currency },
    creationTime,
    currency,
    ...(description && { description }),
    id,
    lastUpdatedTime: updates.at(-1) ?? creationTime,
    merchantAmount: amount,
    merchantCategoryCode: '5399',
    merchantCurrency: currency,
    ...(reference && { reference }),
    status: orderStatus(order),
    totalAuthorizedAmount: majorNumber(totals.authorized, currency),
    totalCapturedAmount: majorNumber(totals.captured, currency),
    totalDisbursedAmount: 0,
    totalRefundedAmount: majorNumber(totals.refunded, currency),
  };
}

function orderStatus(order: GatewayOrder): string {
  const { authorized, captured, refunded, chargedBack } = totalsOf(order);
  if (chargedBack > 0) return 'CHARGEBACK_PROCESSED';
  if (captured > 0 && refunded >= captured) return 'REFUNDED';
  if (refunded > 0) return 'PARTIALLY_REFUNDED';
  if (captured > 0) return captured < order.amount ? 'PARTIALLY_CAPTURED' : 'CAPTURED';
  if (authorized > 0) return 'AUTHORIZED';
  if (isApproved(order)) return 'CANCELLED';
  const last = order.transactions.at(-1);
  if (last?.type === 'PAYMENT' || last?.type === 'AUTHORIZATION') return 'FAILED';
  return last?.result === 'SUCCESS' ? 'AUTHENTICATED' : 'AUTHENTICATION_UNSUCCESSFUL';
}

function authenticationStatus(authentication: GatewayTransaction | undefined): string {
  if (!authentication) return 'AUTHENTICATION_NOT_IN_EFFECT';
  const isProven = authentication.result === 'SUCCESS';
  return isProven ? 'AUTHENTICATION_SUCCESSFUL' : 'AUTHENTICATION_UNSUCCESSFUL';
}

function lastAuthentication({ transactions }: GatewayOrder): GatewayTransaction | undefined {
  return transactions.findLast(({ type }) => type === 'AUTHENTICATION');
}

function authenticationFields(order: GatewayOrder, transaction: GatewayTransaction): Wire {
  const isProven = transaction.type !== 'AUTHENTICATION' || transaction.result === 'SUCCESS';
  const id = idOf(0, `3ds:${order.id}:${transaction.id}`, 28);
  return {
    authentication: {
      '3ds': { acsEci: isProven ? '05' : '07', transactionId: id },
      '3ds2': {
        dsTransactionId: id,
        protocolVersion: '2.2.0',
        transactionStatus: isProven ? 'Y' : 'N',
      },
      amount: majorNumber(order.amount, order.currency),
      time: transaction.timeOfRecord,
      transactionId: `auth-${transaction.id.replace('auth-', '')}`,
      version: '3DS2',
    },
    device: { browser: 'Mozilla/5.0', ipAddress: '203.0.113.7' },
  };
}

const acquirerCodes: Readonly<Record<string, string>> = {
  APPROVED: '00',
  INSUFFICIENT_FUNDS: '51',
  EXPIRED_CARD: '54',
  REFERRED: '01',
  TIMED_OUT: '91',
  SYSTEM_ERROR: '96',
};

function responseFields({ result, gatewayCode, type }: GatewayTransaction): Wire {
  if (type === 'AUTHENTICATION') {
    const isProven = result === 'SUCCESS';
    return { gatewayCode, gatewayRecommendation: isProven ? 'PROCEED' : 'DO_NOT_PROCEED' };
  }
  if (result === 'PENDING') return { gatewayCode, gatewayRecommendation: 'NO_ACTION' };
  const isApproved = result === 'SUCCESS';
  return {
    acquirerCode: acquirerCodes[gatewayCode] ?? '05',
    acquirerMessage: isApproved ? 'Approved' : words(gatewayCode),
    cardSecurityCode: { acquirerCode: isApproved ? 'M' : 'P', gatewayCode: 'MATCH' },
    gatewayCode,
    gatewayRecommendation: isApproved ? 'NO_ACTION' : 'RESUBMIT_WITH_ALTERNATIVE_PAYMENT_DETAILS',
  };
}

function cardFields({ id }: GatewayOrder): Wire {
  return {
    brand: 'VISA',
    expiry: { month: '12', year: '30' },
    fundingMethod: pick(randomOf(0, `funding:${id}`), ['CREDIT', 'DEBIT']),
    issuer: 'HDFC BANK LIMITED',
    number: '411111xxxxxx1111',
    scheme: 'VISA',
    storedOnFile: 'NOT_STORED',
  };
}

function transactionFields(order: GatewayOrder, transaction: GatewayTransaction): Wire {
  const { id, type, currency, amount, timeOfRecord, reference } = transaction;
  const target = transaction.isTargetHidden ? undefined : transaction.targetTransactionId;
  const given = (label: string, length: number) =>
    digitsOf(0, `${label}:${order.merchantId}:${order.id}:${id}`, length);
  const day = timeOfRecord.slice(0, 10);
  const isMoneyMoved = type !== 'AUTHENTICATION' && transaction.result === 'SUCCESS';
  return {
    acquirer: {
      batch: Number(day.replaceAll('-', '')),
      date: day.slice(5).replace('-', ''),
      id: 'HDFC_S2I',
      merchantId: order.merchantId,
      settlementDate: day,
      timeZone: '+0530',
      transactionId: given('acquirer', 15),
    },
    amount: majorNumber(amount, currency),
    // An authentication has its own status; every other transaction has that of the order.
    authenticationStatus: authenticationStatus(
      type === 'AUTHENTICATION' ? transaction : lastAuthentication(order),
    ),
    ...(isMoneyMoved && {
      authorizationCode: given('authorization', 6),
      receipt: given('receipt', 12),
    }),
    currency,
    id,
    ...(reference && { reference }),
    source: isConsumers(type) ? 'INTERNET' : 'CALL_CENTRE',
    stan: given('stan', 6),
    ...(target && { targetTransactionId: target }),
    terminal: 'HDFC0001',
    type,
  };
}

/** `INSUFFICIENT_FUNDS` becomes `Insufficient funds`. */
export function words(code: string): string {
  const spaced = code.toLowerCase().replaceAll('_', ' ');
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
}
