/**
 * What the gateway sends, for the API reference only. Deliveries are not validated against it: every
 * field may be absent or of another type, and values that cannot be used are ignored.
 */
import { type TProperties, Type } from 'typebox';

/** The gateway sends more fields than are used. */
const open = { additionalProperties: true };
const text = (description: string) => Type.Optional(Type.String({ description }));
const amount = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: `${description}, in major units.`,
    }),
  );
const group = (description: string, fields: TProperties) =>
  Type.Optional(Type.Object(fields, { ...open, description }));
const words = (values: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', examples: [...values], description });

const order = Type.Object(
  {
    id: Type.String({ description: 'Our order id or transaction id, or your invoice id.' }),
    reference: text('Another reference of the order, used when id is not known.'),
    status: text('Status of the whole order, such as CAPTURED or FAILED.'),
    amount: amount('Amount of the order'),
    currency: text('ISO 4217 code.'),
    creationTime: text('Time of creation, RFC 3339.'),
    lastUpdatedTime: text('Time of the last change, RFC 3339.'),
    totalAuthorizedAmount: amount('Sum of the authorisations'),
    totalCapturedAmount: amount('Sum of the captures'),
    totalRefundedAmount: amount('Sum of the refunds'),
    totalDisbursedAmount: amount('Sum of the disbursements'),
    chargeback: group('A chargeback; the order is then flagged for review.', {
      amount: amount('Amount charged back'),
      currency: text('ISO 4217 code.'),
    }),
  },
  { ...open, description: 'The order at the gateway.' },
);

const transaction = Type.Object(
  {
    id: Type.String({
      description: 'Identifier within the order; with order.id it names the record.',
    }),
    type: words(
      ['PAYMENT', 'AUTHORIZATION', 'CAPTURE', 'AUTHENTICATION', 'REFUND', 'VOID_PAYMENT'],
      'PAYMENT, AUTHORIZATION, CAPTURE, AUTHENTICATION, REFUND, CHARGEBACK or one of the VOID types.',
    ),
    targetTransactionId: text('The record that a capture, void or refund belongs to.'),
    amount: amount('Amount of the record'),
    currency: text('ISO 4217 code.'),
    receipt: text('Receipt number.'),
    reference: text('Another reference of the order, used when order.id is not known.'),
    authorizationCode: text('Authorisation code of the bank.'),
    acquirer: group('The acquirer.', {
      id: text('Name of the acquirer.'),
      transactionId: text('Identifier of the record at the acquirer.'),
      merchantId: text('Identifier of the merchant at the acquirer.'),
    }),
  },
  { ...open, description: 'The record that the notification is about.' },
);

const card = group('The card, with a masked number.', {
  brand: text('Brand, such as VISA.'),
  scheme: text('Scheme, such as VISA.'),
  fundingMethod: text('CREDIT, DEBIT or another word.'),
  issuer: text('The bank that issued the card.'),
  number: text('Masked number; more digits are masked before they are stored.'),
});

export const gatewaySchema = Type.Object(
  {
    result: Type.Optional(
      words(
        ['SUCCESS', 'FAILURE', 'PENDING', 'UNKNOWN', 'ERROR'],
        'SUCCESS, FAILURE, PENDING, UNKNOWN or ERROR; when absent, order.status decides.',
      ),
    ),
    merchant: text('Merchant id at the gateway; another one than that of the account is flagged.'),
    version: text('Version of the gateway API.'),
    gatewayEntryPoint: text('How the payment entered the gateway.'),
    timeOfRecord: text('Time of the record, RFC 3339.'),
    timeOfLastUpdate: text('Time of the last change, RFC 3339.'),
    order,
    transaction,
    response: group('The answer of the acquirer.', {
      gatewayCode: text('Result in the words of the gateway, such as APPROVED or DECLINED.'),
      gatewayRecommendation: text('What the gateway recommends to do.'),
      acquirerCode: text('Result code of the acquirer.'),
      acquirerMessage: text('Result in the words of the acquirer.'),
    }),
    sourceOfFunds: group('What the consumer paid with.', {
      type: text('Kind of source, such as CARD.'),
      provided: group('The source as the consumer entered it.', { card }),
    }),
    authentication: group('Result of 3-D Secure; not used.', {
      '3ds': group('3-D Secure, first version.', {}),
      '3ds2': group('3-D Secure 2.', {}),
    }),
    device: group('The device of the consumer; not used.', {
      browser: text('User agent.'),
      ipAddress: text('IP address.'),
    }),
    risk: group('Risk assessment; not used.', {
      response: group('Result of the assessment.', { gatewayCode: text('Such as ACCEPTED.') }),
    }),
  },
  {
    ...open,
    title: 'BankGatewayNotification',
    description:
      'A notification of the bank card gateway: JSON, or form data with dotted names such as order.id.',
  },
);
