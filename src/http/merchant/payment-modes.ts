/** `POST /api/v3/payment-modes`, `list-of-banks` and `list-of-wallets`. Contract 11.1, 11.11 and 19.1. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import type { Order } from '../../domain/orders/order.ts';
import { decideAmounts } from '../../domain/orders/order-request.ts';
import { type PaymentModeCode, paymentModeCodes, paymentModes } from '../../domain/payment-mode.ts';
import type { Caller } from '../../security/tokens.ts';
import type { HttpContext } from '../http-context.ts';
import { field, list, number, object, text, word } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';
import { NextCalls } from './order-reply-schemas.ts';
import { readOrderId, sentAmount, toText } from './order-request.ts';
import { Currency, OrderReference, optionalText, orderIdField } from './order-schemas.ts';
import { amountsView } from './order-view.ts';

const Item = object('PaymentMode', 'A way to pay.', {
  payment_mode_code: word(paymentModeCodes, 'Goes into payment_mode_code of initiate-payment.'),
  payment_mode: word(Object.values(paymentModes), 'Name to show to the consumer.'),
  amount_before_tax: number('Cart amount before tax, in major units.'),
  tax: number('Tax, in major units.'),
  currency: Currency,
  total_amount: number('Total including tax, in major units.'),
  additional_charges: number('Fee for this mode; always 0.'),
  grand_total_amount: number('total_amount plus additional_charges.'),
  next: NextCalls,
});
const items = (description: string) =>
  Type.Object(
    { items: list(Item, 'The modes, in the order in which to show them.') },
    { description },
  );
const Reply = object('PaymentModes', 'The ways to pay for an order.', {
  fast_payment_modes: items('Modes that the consumer has paid with before.'),
  other_payment_modes: items('All other modes of the account.'),
});

export function addPaymentModes(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /payment-modes', {
    operationId: 'listPaymentModes',
    tag: 'Payments',
    access: 'order',
    summary: 'List the ways to pay for an order',
    description: 'Modes that the consumer has paid with before are in fast_payment_modes.',
    body: OrderReference,
    reply: Reply,
    replyDescription: 'The payment modes of the account, with the amount to pay.',
    errors: ['ORDER_NOT_FOUND'],
    handler: async (request) => {
      const orderId = readOrderId(request);
      const { order, fast, other } = await useCases.listPaymentModes(request.caller, orderId);
      return {
        fast_payment_modes: { items: fast.map((code) => itemView(order, code)) },
        other_payment_modes: { items: other.map((code) => itemView(order, code)) },
      };
    },
  });
}

function itemView({ amounts }: Order, code: PaymentModeCode): Static<typeof Item> {
  const view = amountsView(amounts);
  return {
    payment_mode_code: code,
    payment_mode: paymentModes[code],
    ...view,
    currency: amounts.currency,
    additional_charges: 0,
    grand_total_amount: view.total_amount,
    next: [{ action: 'initiate_payment', url: '/api/v3/initiate-payment' }],
  };
}

const lists = [
  {
    route: 'POST /list-of-banks',
    operationId: 'listBanks',
    modeCode: 'net_banking',
    code: 'bank_code',
    kind: 'bank',
    title: 'Bank',
    // No provider reports how its banks are doing, so a bank that is offered is up.
    health: { health_status: 'up' },
    summary: 'List the banks that an order can be paid through by net banking',
  },
  {
    route: 'POST /list-of-wallets',
    operationId: 'listWallets',
    modeCode: 'wallet',
    code: 'wallet_code',
    kind: 'wallet',
    title: 'Wallet',
    health: undefined,
    summary: 'List the wallets that an order can be paid with',
  },
] as const;

const ChoicesBody = object(
  'ChoicesRequest',
  'The order, or with a merchant token the total_amount and currency of one that does not exist yet.',
  {
    order_id: orderIdField,
    total_amount: Type.Optional(
      field(['number', 'string', 'null'], 'Total including tax, in major units.', {
        maxLength: 64,
      }),
    ),
    currency: optionalText('ISO 4217 code, upper case. Sent with total_amount.'),
  },
);

export function addListsOfChoices(app: FastifyInstance, { useCases }: HttpContext): void {
  for (const { route, operationId, modeCode, code, kind, title, health, summary } of lists) {
    const Choice = object(title, 'One choice of the consumer.', {
      [code]: text(`Goes into ${code} of initiate-payment.`),
      name: text('Name to show to the consumer.'),
    });
    const ListedChoice = object(
      `Listed${title}`,
      'The same choice under the names of older clients.',
      {
        [`${kind}_name`]: text('Name to show to the consumer.'),
        code: text(`Goes into ${code} of initiate-payment.`),
        logo: text('Always empty: the service has no logos.'),
        ...(health && { health_status: word(['up'], 'Always up.') }),
        next: text('Always empty: initiate-payment follows.'),
      },
    );
    addOperation(app, route, {
      operationId,
      tag: 'Payments',
      access: 'order',
      summary,
      description: `Empty where the account does not offer ${modeCode}. A code goes into ${code} of initiate-payment.`,
      body: ChoicesBody,
      reply: object(`${title}s`, 'The choices for an order.', {
        items: list(Choice, 'The choices; empty when there are none.'),
        [`${kind}_list`]: list(ListedChoice, 'The same choices, as older clients read them.'),
      }),
      replyDescription: 'The choices, in the order in which to show them.',
      errors: ['ORDER_NOT_FOUND'],
      handler: async (request) => {
        const orderId = findOrderId(request);
        const choices = await useCases.listChoices(request.caller, { orderId, modeCode });
        return {
          items: choices.map((choice) => ({ [code]: choice.code, name: choice.name })),
          [`${kind}_list`]: choices.map((choice) => ({
            [`${kind}_name`]: choice.name,
            code: choice.code,
            logo: '',
            ...health,
            next: '',
          })),
        };
      },
    });
  }
}

/** Undefined if a merchant asks for an amount without an order. The lists do not depend on it, but it must be one. */
function findOrderId(request: {
  readonly caller: Caller;
  readonly body: Static<typeof ChoicesBody>;
}): string | undefined {
  const { caller, body } = request;
  const totalAmount = sentAmount(body, 'total_amount');
  const currency = toText(body.currency);
  const isAboutOrder = Boolean(body.order_id) || caller.type !== 'merchant';
  if (isAboutOrder || (totalAmount === undefined && currency === undefined)) {
    return readOrderId(request);
  }
  if (currency === undefined) {
    refuseField('currency', 'is missing: send it with total_amount, or send order_id instead');
  }
  decideAmounts({ currency, totalAmount });
  return undefined;
}
