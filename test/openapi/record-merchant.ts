/** Real calls of the merchant API, one function for each operation or group. */
import { sealPayload } from '../../src/security/sealed-payload.ts';
import type { Journey, JourneyShop } from '../support/journey.ts';
import { fullOrderBody, orderBody } from '../support/order-bodies.ts';
import type { Call, Reply } from '../support/test-service.ts';
import type { Recorder } from './recorder.ts';

export type Stage = {
  readonly journey: Journey;
  /** Has an alternate currency, encrypted payloads, and no payment modes. */
  readonly plainShop: JourneyShop;
  readonly recorder: (file: string) => Recorder;
  /** An open order, and one that was paid. */
  readonly open: Reply['body'];
  readonly paid: Reply['body'];
};

export const cartOf = (invoice: string, changes: object = {}) =>
  fullOrderBody({ invoice_id: invoice, callback_mode: 'callback_url_redirect', ...changes });

/** The order may be paid from any account, and so in any mode. */
export const anyAccount = { bank_account: undefined };

const post = (stage: Stage, path: string, body: unknown, call: Call = {}): Promise<Reply> => {
  const { service, shop } = stage.journey;
  return service.call(`/api/v3/${path}`, { token: shop.token, body, ...call });
};

export async function recordTokens(stage: Stage): Promise<void> {
  const { shop } = stage.journey;
  const credentials = { access_key: shop.accessKey, access_secret: shop.accessSecret };
  const none = { token: undefined };
  const generate = stage.recorder('generate-token');
  const ask = (body: unknown) => post(stage, 'generate-token', body, none);
  generate.request('credentials', 'The credentials of an account', credentials);
  generate.reply('token', 'A merchant token', await ask(credentials));
  generate.error('INVALID_REQUEST_PARAMETER', 400, await ask({ access_key: shop.accessKey }));
  const wrong = { ...credentials, access_secret: 'access_secret_of_another_account' };
  generate.error('AUTHENTICATION_FAILED', 401, await ask(wrong));
  generate.error('INVALID_TOKEN', 401, await ask({ encrypted_payload: '00'.repeat(40) }));
  const tooLarge = { ...credentials, more: 'x'.repeat(9_000) };
  generate.error('PAYLOAD_TOO_LARGE', 413, await ask(tooLarge));

  const refresh = stage.recorder('refresh-token');
  const exchange = (refresh_token: unknown) =>
    post(stage, 'refresh-token', { refresh_token }, none);
  const request = { refresh_token: stage.open.refresh_token };
  refresh.request('refresh_token', 'The refresh token of create order', request);
  refresh.reply('token', 'A new order token', await exchange(stage.open.refresh_token));
  refresh.error('INVALID_REQUEST_PARAMETER', 400, await exchange(42));
  refresh.error('INVALID_TOKEN', 401, await exchange(stage.open.token));
  refresh.error('TOKEN_EXPIRED', 401, await exchange(stage.paid.refresh_token));
  const large = await exchange('x'.repeat(9_000));
  refresh.error('PAYLOAD_TOO_LARGE', 413, large);
}

export async function recordCreateOrder(stage: Stage): Promise<void> {
  const record = stage.recorder('create-order');
  const cart = cartOf('INV-2026-0042');
  record.request('cart', 'An order with all its details', cart);
  record.reply('created', 'A new order', await post(stage, 'create-order', cart));
  const dollars = orderBody({ invoice_id: 'INV-2026-0043', currency: 'USD' });
  record.request('converted', 'An order in a currency that the account converts', dollars);
  const { token } = stage.plainShop;
  const converted = await post(stage, 'create-order', dollars, { token });
  record.reply('converted', 'An order that is processed in another currency', converted);
  const wrongSum = { ...cart, invoice_id: 'INV-2026-0044', total_amount: 120 };
  record.error('INVALID_REQUEST_PARAMETER', 400, await post(stage, 'create-order', wrongSum));
  const changed = { ...cart, description: 'Three packets of tea' };
  record.error('DUPLICATE_INVOICE_ID', 409, await post(stage, 'create-order', changed));
  const unchecked = await post(stage, 'create-order', cartOf('INV-2026-0048'), { token });
  record.error('PAYMENT_MODE_NOT_ALLOWED', 422, unchecked);
}

export async function recordPaymentLink(stage: Stage): Promise<void> {
  const record = stage.recorder('payment-link');
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const cart = cartOf('INV-2026-0046', { expires_at });
  record.request('cart', 'An order with all its details, to be paid within 30 days', cart);
  record.reply('created', 'A new order with its link', await post(stage, 'payment-link', cart));
  const past = { ...cart, invoice_id: 'INV-2026-0047', expires_at: '2020-01-01T00:00:00Z' };
  record.error('INVALID_REQUEST_PARAMETER', 400, await post(stage, 'payment-link', past));
  const changed = { ...cart, description: 'Three packets of tea' };
  record.error('DUPLICATE_INVOICE_ID', 409, await post(stage, 'payment-link', changed));
  const { token } = stage.plainShop;
  const unchecked = await post(stage, 'payment-link', cartOf('INV-2026-0049'), { token });
  record.error('PAYMENT_MODE_NOT_ALLOWED', 422, unchecked);
}

export async function recordPaymentLinkCalls(stage: Stage): Promise<void> {
  const { initiate, pay, simulator } = stage.journey;
  const create = async (invoice_id: string): Promise<Reply['body']> =>
    (await post(stage, 'payment-link', cartOf(invoice_id))).body;
  const { payment_link_id, invoice_id } = await create('INV-2026-0048');
  const paid = await create('INV-2026-0049');
  await pay(paid.order_id);
  await simulator.settled();
  const unknown = { invoice_id: 'INV-UNKNOWN' };
  const unknownLink = { payment_link_id: 'unknown' };

  const enquiry = stage.recorder('payment-link-enquiry');
  const enquire = (body: object) => post(stage, 'payment-link/enquiry', body);
  enquiry.request('invoice', 'The link by the invoice', { invoice_id });
  enquiry.reply('created', 'A link that nobody has opened', await enquire({ invoice_id }));
  const { invoice_id: paidInvoice } = paid;
  enquiry.reply('paid', 'A link that is paid', await enquire({ invoice_id: paidInvoice }));
  enquiry.error('INVALID_REQUEST_PARAMETER', 400, await enquire({}));
  enquiry.error('ORDER_NOT_FOUND', 404, await enquire(unknownLink));
  enquiry.error('INVOICE_NOT_FOUND', 404, await enquire(unknown));

  const update = stage.recorder('payment-link-update');
  const change = (body: object) => post(stage, 'payment-link', body, { method: 'PATCH' });
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const changes = { invoice_id, expires_at, description: 'Two packets of tea, gift-wrapped' };
  update.request('description', 'Another description and end', changes);
  update.reply('updated', 'The order with its link', await change(changes));
  update.error('INVALID_REQUEST_PARAMETER', 400, await change({ invoice_id, total_amount: 0 }));
  update.error('ORDER_NOT_FOUND', 404, await change(unknownLink));
  update.error('INVOICE_NOT_FOUND', 404, await change(unknown));
  const begun = await create('INV-2026-0080');
  await initiate(begun.order_id);
  const late = await change({ ...changes, invoice_id: begun.invoice_id });
  update.error('LINK_CANNOT_BE_UPDATED', 409, late);

  const actions = stage.recorder('payment-link-actions');
  const act = (body: object) => post(stage, 'payment-link/actions', body);
  const cancel = { action: 'cancel', payment_link_id };
  actions.request('cancel', 'Cancel the link', cancel);
  actions.reply('cancelled', 'The link is cancelled, its order lapsed', await act(cancel));
  actions.error('INVALID_REQUEST_PARAMETER', 400, await act({ payment_link_id }));
  actions.error('ORDER_NOT_FOUND', 404, await act({ ...cancel, ...unknownLink }));
  actions.error('INVOICE_NOT_FOUND', 404, await act({ action: 'cancel', ...unknown }));
  const done = await act({ action: 'cancel', invoice_id: paidInvoice });
  actions.error('ORDER_COMPLETED', 409, done);
  actions.error('LINK_CANNOT_BE_SENT', 422, await act({ ...cancel, action: 'send' }));
}

export async function recordGetOrder(stage: Stage): Promise<void> {
  const { service, shop } = stage.journey;
  const record = stage.recorder('get-order');
  const { order_id, invoice_id, token: orderToken } = stage.open;
  const get = (query: string, token = shop.token) =>
    service.call(`/api/v3/order${query}`, { token });
  record.parameters({ order_id, invoice_id });
  record.reply('merchant', 'For a merchant token', await get(`?order_id=${order_id}`));
  record.reply('consumer', 'For an order token, masked', await get('', orderToken));
  record.error('INVALID_REQUEST_PARAMETER', 400, await get(''));
  record.error('ORDER_NOT_FOUND', 404, await get('?order_id=o_unknown'));
  record.error('INVOICE_NOT_FOUND', 404, await get('?invoice_id=INV-UNKNOWN'));
}

export async function recordOrderChanges(stage: Stage): Promise<void> {
  const { order_id, token: orderToken } = stage.open;
  const { order_id: paidId } = stage.paid;
  const update = stage.recorder('update-order');
  const change = {
    order_id,
    shipping_address: { address_1: '7 Park Street', city: 'Kolkata', pincode: '700016' },
    description: 'Two packets of tea, gift-wrapped',
  };
  update.request('address', 'Another address and description', change);
  update.reply('updated', 'The order after the change', await post(stage, 'update-order', change));
  const noOrder = { description: 'x' };
  update.error('INVALID_REQUEST_PARAMETER', 400, await post(stage, 'update-order', noOrder));
  const amounts = { order_id, tax: 20, total_amount: 120 };
  const asConsumer = await post(stage, 'update-order', amounts, { token: orderToken });
  update.error('PERMISSION_DENIED', 403, asConsumer);
  const unknown = await post(stage, 'update-order', { ...change, order_id: 'o_unknown' });
  update.error('ORDER_NOT_FOUND', 404, unknown);
  const closed = await post(stage, 'update-order', { ...change, order_id: paidId });
  update.error('ORDER_COMPLETED', 409, closed);
  const begun = await stage.journey.createOrder();
  await stage.journey.initiate(begun);
  const late = await post(stage, 'update-order', { ...amounts, order_id: begun });
  update.error('ORDER_CONFLICT', 409, late);

  const resolve = stage.recorder('resolve-user');
  const consumer = { order_id, mobile_number: '9876543210', first_name: 'Asha', last_name: 'Rao' };
  resolve.request('consumer', 'The consumer by their mobile number', consumer);
  const asMerchant = await post(stage, 'resolve-user', consumer);
  resolve.reply('merchant', 'For a merchant token', asMerchant);
  const withoutId = { mobile_number: '9876543210' };
  const other = await post(stage, 'create-order', cartOf('INV-2026-0045'));
  const token = other.body.token;
  const own = await post(stage, 'resolve-user', withoutId, { token });
  resolve.reply('consumer', 'For an order token, with the token that replaces it', own);
  const noPhone = await post(stage, 'resolve-user', { order_id });
  resolve.error('INVALID_REQUEST_PARAMETER', 400, noPhone);
  const restricted = await post(stage, 'resolve-user', withoutId, { token });
  resolve.error('PERMISSION_DENIED', 403, restricted);
  const another = { order_id, mobile_number: '9123456780' };
  resolve.error('ORDER_CONFLICT', 409, await post(stage, 'resolve-user', another));
}

export async function recordChoices(stage: Stage): Promise<void> {
  const { order_id } = stage.open;
  for (const path of ['payment-modes', 'list-of-banks', 'list-of-wallets']) {
    const record = stage.recorder(path);
    record.request('order', 'The order by its id', { order_id });
    const { body, ...reply } = await post(stage, path, { order_id });
    // The list of banks is long, and three show what it looks like.
    const shown =
      'items' in body
        ? Object.fromEntries(
            Object.entries(body).map(([name, entries]) => [
              name,
              (entries as unknown[]).slice(0, 3),
            ]),
          )
        : body;
    record.reply('list', 'What the account offers', { ...reply, body: shown });
    record.error('INVALID_REQUEST_PARAMETER', 400, await post(stage, path, {}));
    const unknown = await post(stage, path, { order_id: 'o_unknown' });
    record.error('ORDER_NOT_FOUND', 404, unknown);
  }
}

/** An enquiry in an encrypted exchange. */
export async function recordEncrypted(stage: Stage): Promise<{ request: unknown; reply: unknown }> {
  const { plainShop } = stage;
  const plain = JSON.stringify({ invoice_id: 'INV-2026-0043' });
  const request = { encrypted_payload: sealPayload(plain, plainShop.accessSecret) };
  const { token } = plainShop;
  const reply = await post(stage, 'transaction-enquiry', request, { token });
  return { request, reply: reply.body };
}
