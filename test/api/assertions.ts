/** Assertions about replies that the tests of all operations share. */
import assert from 'node:assert/strict';
import { type ErrorCode, errorTable } from '../../src/domain/errors.ts';
import type { Reply } from '../support/test-service.ts';

/** Asserts the whole error reply: status and messages of the table, four fields, nothing else. */
export function assertRefused(
  reply: Reply,
  code: ErrorCode,
  merchantMessage?: string | RegExp,
): void {
  const sent = JSON.stringify(reply.body);
  assert.equal(reply.body?.error?.svc_error_code, code, sent);
  const { svc_merchant_message, message, ...others } = reply.body.error;
  assert.equal(message, svc_merchant_message);
  assert.deepEqual(
    { status: reply.status, fields: Object.keys(reply.body), ...others },
    {
      status: errorTable[code].status,
      fields: ['error'],
      svc_error_code: code,
      svc_consumer_message: errorTable[code].consumerMessage,
    },
  );
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(reply.headers.get('x-request-id') ?? '', /^[\w.-]+$/, 'x-request-id');
  if (merchantMessage instanceof RegExp) assert.match(svc_merchant_message, merchantMessage);
  else if (merchantMessage !== undefined) {
    assert.ok(svc_merchant_message.includes(merchantMessage), svc_merchant_message);
  } else assert.equal(svc_merchant_message, errorTable[code].merchantMessage);
}

/** An order reply without the fields that are fresh in every reply. */
export function withoutTokens(body: Reply['body']): Record<string, unknown> {
  const { token, token_expiration, refresh_token, refresh_token_expiration, ...rest } = body;
  return rest;
}

/** The claims of a JWT, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The recommended next calls of every order. Contract 3.17. */
export const nextCalls = [
  { action: 'payment_modes', url: '/api/v3/payment-modes' },
  { action: 'resolve_user', url: '/api/v3/resolve-user' },
  { action: 'update_order', url: '/api/v3/update-order' },
];

/** What the full view of an order adds for the body it was created with. Contract 3.8 and 3.11. */
export function fullParts(body: Record<string, unknown>): Record<string, unknown> {
  const { order_line_items, shipping_address, callback_url, callback_mode, description } = body;
  const custom_attributes =
    body.custom_attributes &&
    Object.entries(body.custom_attributes).map(([key, value]) => ({ key, value }));
  const parts = { order_line_items, shipping_address, callback_url, callback_mode, description };
  return JSON.parse(JSON.stringify({ ...parts, custom_attributes }));
}

/** Asserts the contract's whole error reply to a webhook. */
export function assertWebhookRefused(
  reply: Reply,
  status: number,
  words: string | RegExp = /./,
): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  const { message } = reply.body;
  assert.match(message, typeof words === 'string' ? new RegExp(words) : words);
  assert.deepEqual(reply.body, {
    status,
    message,
    error: { http_status_code: status, transaction_status: 'not_processed', message },
  });
  assert.ok(reply.headers.get('x-request-id'));
}
