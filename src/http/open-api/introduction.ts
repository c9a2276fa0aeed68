/** The introduction of the API reference, and its groups of operations. */
export const introduction = `
Create orders, take payments through two payment providers, refund them, and ask for their status.

## Authentication

- **Merchant token**: from \`generate-token\`, with the access key and access secret of the account. Valid for 20 minutes.
  It may make every call of the account. Keep it on your server.
- **Order token**: \`token\` in the reply of \`create-order\`. Valid for 20 minutes. It may make the calls about its own
  order, also from a browser, and sees personal data masked.
- **Refresh token**: \`refresh_token\` in the reply of \`create-order\`. Valid for 24 hours. It gets a new order token from
  \`refresh-token\`, and does nothing else.

Send a merchant token or an order token as \`Authorization: Bearer <token>\`. With an order token \`order_id\` may be left
out. The account comes from the token: ids of another account answer 404.

## The flow of a payment

1. Your server calls \`generate-token\` and \`create-order\`, and hands the order token to the checkout.
2. The checkout calls \`payment-modes\`, and \`list-of-banks\` or \`list-of-wallets\` where the consumer chooses one.
3. \`initiate-payment\` starts a payment. Send the consumer to the URL of \`next\`.
4. The consumer pays at the provider, which reports the result to the webhook of the account, and returns to your
   \`callback_url\` with a signed result.
5. Your server calls \`transaction-enquiry\`. An order is paid when its \`status\` is \`completed\`.
6. \`refund\` returns money, in whole or in part.

## Errors

Every error of the merchant API has the same body. Branch on \`svc_error_code\`; \`svc_merchant_message\` and \`message\`
say what to do, and \`svc_consumer_message\` may be shown to the consumer. Each operation lists the codes that it can answer.
An unknown path answers 404 \`NOT_FOUND\`, and a known path with another method 405 \`METHOD_NOT_ALLOWED\` with the header
\`Allow\`. A request that was refused with 4xx has changed nothing. After a 5xx or a lost connection, send the same
request again. Every reply has an \`x-request-id\`: quote it when you ask the operator about a request.

## Idempotency

\`create-order\` is always safe to repeat: the same invoice with the same content returns the same order. Send an
\`Idempotency-Key\` with \`initiate-payment\` and \`refund\`: the same key with the same content within 24 hours returns the
first reply. A \`refund_request_id\` makes a refund safe to repeat for ever. A repeated reply has the header
\`Idempotent-Replayed: true\`.

## Amounts

Amounts are in major units: 118.5 is 118 rupees and 50 paise. Requests may send JSON numbers or decimal strings; a
string is exact. More decimals than the currency has are refused, and \`amount_before_tax\` plus \`tax\` must be exactly
\`total_amount\`. An account may have an alternate currency; then the reply shows the converted amounts and
\`currency_conversion\` the original ones.

## Times

All times are UTC. \`order_date\` is \`YYYY-MM-DD HH:MM:SS.ffffff\`, expiry times are \`YYYY-MM-DDTHH:MM:SS.ffffff\`, and
\`expires_at\` is RFC 3339.

## Bodies

A body of the merchant API is read as JSON whatever its \`Content-Type\` says, up to 256 KiB, or 8 KiB for
\`generate-token\` and \`refresh-token\`. Fields that are not listed are ignored.

## Encrypted payloads

The operator can enable encrypted payloads for an account. A call with a merchant token may then send
\`{"encrypted_payload": "<hex>"}\` instead of the plain body, and the reply, errors included, is
\`{"encrypted_response": "<hex>"}\` with the same status. With the request header \`encryption: ignore\` the reply is plain.

1. Key: SHA-256 of the access secret without its prefix \`access_secret_\`.
2. AES-256-GCM with a fresh random nonce of 16 bytes, without additional data.
3. Hexadecimal text of nonce, ciphertext and tag (16 bytes), joined in this order.

## Events

Your endpoints are told of results by signed requests, which this reference lists under Webhooks. Each has a JSON body
with an \`event_type\`, a \`sequence\` that counts the events of an order, and the transaction and order as in the
enquiry. They are sent at least once and may arrive in any order. The signature follows Standard Webhooks: verify it over
the raw body. An account with encrypted payloads gets \`{"encrypted_response": "<hex>", "sub_merchant_id": "<account_id>"}\`.
Ignore types and fields that you do not know: a later version may add some.

## Deliveries of the providers

The providers report payments and refunds to \`/api/v3/webhooks/<provider>/<account_id>\`. Each delivery proves its sender
by the header that the provider documents; the secret is one of the webhook secrets of the account. If the header is
there it must be right. Without it, the merchant token of the account is accepted, so that your server can forward a
delivery. A delivery is answered 200 only after it is stored. Repeats and any order of arrival end in the same state.
`.trim();

export const tags = Object.entries({
  Tokens: 'Get the tokens that all other calls need.',
  Orders: 'Create, read and change orders, and ask for the status of their transactions.',
  Payments: 'List the ways to pay, start payments and refund them.',
  Webhooks: 'Deliveries of the payment providers. Their bodies are in the format of the provider.',
  Events: 'What the service sends to the endpoints of your shop.',
  Operations:
    'Liveness, readiness and metrics for the operator of the service. They need no token.',
}).map(([name, description]) => ({ name, description }));
