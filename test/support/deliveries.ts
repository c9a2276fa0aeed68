/** Deliveries in the providers' real formats, with real signatures. */
import { createHmac } from 'node:crypto';
import { randomBase62 } from '../../src/domain/ids.ts';
import type { Reply, TestAccount, TestService } from './test-service.ts';

type Fields = Record<string, unknown>;

export const partnerId = (prefix: 'pay' | 'order' | 'rfnd'): string =>
  `${prefix}_${randomBase62(14)}`;

/** A payment record of the partner with all real fields. `changes` replaces fields. */
export function partnerPayment(changes: Fields = {}): Fields {
  return {
    id: partnerId('pay'),
    entity: 'payment',
    amount: 11800,
    currency: 'INR',
    base_amount: 11800,
    status: 'captured',
    order_id: null,
    invoice_id: null,
    international: false,
    method: 'card',
    amount_refunded: 0,
    refund_status: null,
    captured: true,
    description: null,
    card_id: 'card_KOdY30ajbuyOYN',
    card: {
      id: 'card_KOdY30ajbuyOYN',
      entity: 'card',
      name: '',
      last4: '1111',
      network: 'Visa',
      type: 'credit',
      issuer: 'HDFC',
      international: false,
      emi: false,
      sub_type: 'consumer',
    },
    bank: null,
    wallet: null,
    vpa: null,
    email: 'asha@example.com',
    contact: '+919876543210',
    notes: [],
    fee: 236,
    tax: 36,
    error_code: null,
    error_description: null,
    error_source: null,
    error_step: null,
    error_reason: null,
    acquirer_data: { auth_code: '828553', arn: null, rrn: null },
    created_at: 1794700000,
    ...changes,
  };
}

export function partnerRefund(payment: Fields, changes: Fields = {}): Fields {
  return {
    id: partnerId('rfnd'),
    entity: 'refund',
    amount: 11800,
    currency: 'INR',
    payment_id: payment.id,
    notes: [],
    receipt: null,
    acquirer_data: { arn: null },
    created_at: 1794703600,
    batch_id: null,
    status: 'processed',
    speed_processed: 'normal',
    speed_requested: 'normal',
    ...changes,
  };
}

/** The partner's event envelope, with each record under `entity`. */
export function partnerEvent(
  event: string,
  records: Record<string, Fields>,
  changes: Fields = {},
): Fields {
  return {
    entity: 'event',
    account_id: 'acc_BFQ7uQEaa7j2z7',
    event,
    contains: Object.keys(records),
    payload: Object.fromEntries(
      Object.entries(records).map(([name, entity]) => [name, { entity }]),
    ),
    created_at: 1794700042,
    ...changes,
  };
}

/** A notification of the bank gateway. `changes` is merged one level deep. */
export function gatewayBody(changes: Record<string, unknown> = {}): Fields {
  const base: Record<string, unknown> = {
    gatewayEntryPoint: 'CHECKOUT_VIA_WEBSITE',
    merchant: 'TESTMERCHANT',
    order: {
      amount: 118.0,
      authenticationStatus: 'AUTHENTICATION_SUCCESSFUL',
      chargeback: { amount: 0, currency: 'INR' },
      creationTime: '2026-11-14T10:00:00.000Z',
      currency: 'INR',
      lastUpdatedTime: '2026-11-14T10:00:31.000Z',
      merchantAmount: 118.0,
      merchantCategoryCode: '5499',
      merchantCurrency: 'INR',
      status: 'CAPTURED',
      totalAuthorizedAmount: 118.0,
      totalCapturedAmount: 118.0,
      totalDisbursedAmount: 0,
      totalRefundedAmount: 0,
    },
    response: {
      acquirerCode: '00',
      acquirerMessage: 'Approved',
      gatewayCode: 'APPROVED',
      gatewayRecommendation: 'NO_ACTION',
    },
    result: 'SUCCESS',
    sourceOfFunds: {
      provided: {
        card: {
          brand: 'VISA',
          expiry: { month: '1', year: '39' },
          fundingMethod: 'CREDIT',
          issuer: 'HDFC BANK',
          number: '411111xxxxxx1111',
          scheme: 'VISA',
          storedOnFile: 'NOT_STORED',
        },
      },
      type: 'CARD',
    },
    timeOfLastUpdate: '2026-11-14T10:00:31.000Z',
    timeOfRecord: '2026-11-14T10:00:30.000Z',
    transaction: {
      acquirer: {
        batch: 20261114,
        id: 'HDFC_S2I',
        merchantId: '9820',
        transactionId: '331510000123',
      },
      amount: 118.0,
      authorizationCode: '091234',
      currency: 'INR',
      id: '1',
      receipt: '331510000123',
      source: 'INTERNET',
      stan: '123',
      terminal: '1234',
      type: 'PAYMENT',
    },
    version: '100',
  };
  for (const [name, value] of Object.entries(changes)) {
    const before = base[name];
    const isGroup = typeof before === 'object' && typeof value === 'object' && value !== null;
    base[name] = isGroup ? { ...(before as Fields), ...(value as Fields) } : value;
  }
  return base;
}

/** The same notification as the gateway's form data: dotted names, indexed arrays. */
export function toFormData(value: unknown, path = ''): string {
  const pairs: string[] = [];
  const walk = (entry: unknown, name: string): void => {
    if (Array.isArray(entry)) {
      entry.forEach((element, index) => {
        walk(element, `${name}[${index}]`);
      });
    } else if (typeof entry === 'object' && entry !== null) {
      for (const [key, field] of Object.entries(entry)) walk(field, name ? `${name}.${key}` : key);
    } else if (entry !== undefined && entry !== null) {
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(entry))}`);
    }
  };
  walk(value, path);
  return pairs.join('&');
}

export type SendOptions = {
  readonly eventId?: string;
  readonly headers?: Record<string, string>;
};

/** Sends a body as the partner does: signed over the bytes, with an event id. */
export function sendPartner(
  service: Pick<TestService, 'call'>,
  account: Pick<TestAccount, 'accountId' | 'partnerWebhookSecret'>,
  body: Fields | string | Buffer,
  { eventId = randomBase62(14), headers = {} }: SendOptions = {},
): Promise<Reply> {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return service.call(`/api/v3/webhooks/partner/${account.accountId}`, {
    body: bytes,
    headers: {
      'user-agent': 'Razorpay-Webhook/v1',
      'x-razorpay-event-id': eventId,
      'x-razorpay-signature': signPartner(bytes, account.partnerWebhookSecret),
      ...headers,
    },
  });
}

export function signPartner(bytes: string | Buffer, secret: string): string {
  return createHmac('sha256', secret).update(bytes).digest('hex');
}

/** Sends a body as the bank gateway does; a string is sent as form data. */
export function sendGateway(
  service: Pick<TestService, 'call'>,
  account: Pick<TestAccount, 'accountId' | 'bankGatewaySecret'>,
  body: Fields | string,
  { eventId, headers = {} }: SendOptions = {},
): Promise<Reply> {
  const isForm = typeof body === 'string';
  return service.call(`/api/v3/webhooks/bank-gateway/${account.accountId}`, {
    body: isForm ? body : JSON.stringify(body),
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-notification-secret': account.bankGatewaySecret,
      'x-notification-attempt': '1',
      ...(eventId !== undefined && { 'x-notification-id': eventId }),
      ...headers,
    },
  });
}

/** The same event in the flat shape of contract 6.11: each record directly under its name in the payload. */
export function flatPartnerEvent(
  event: string,
  records: Record<string, Fields>,
  changes: Fields = {},
): Fields {
  return partnerEvent(event, records, { payload: { refund: null, ...records }, ...changes });
}

/** The path of every group and every value in a body. */
export function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, entry]) => pathsOf(entry, [...path, name]));
  return path.length === 0 ? below : [path, ...below];
}

/** A copy of the body with another value at one path. Undefined removes the field. */
export function replaceAt(body: Fields, path: readonly string[], value: unknown): Fields {
  const copy = structuredClone(body);
  let group: Fields = copy;
  for (const name of path.slice(0, -1)) {
    const next = group[name];
    if (typeof next !== 'object' || next === null) return copy;
    group = next as Fields;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete group[last];
  else group[last] = value;
  return copy;
}
