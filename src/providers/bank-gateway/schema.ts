/**
 * What the gateway sends, for the API reference only. Deliveries are not validated against it: every
 * field may be absent or of another type, and values that cannot be used are ignored.
 */
import { type TProperties, Type } from 'typebox';

const text = Type.Optional(Type.String());
const amount = Type.Optional(
  Type.Unsafe<number | string>({ type: ['number', 'string'], description: 'Major units' }),
);
const group = (fields: TProperties) => Type.Optional(Type.Object(fields));

export const gatewaySchema = Type.Object(
  {
    result: Type.Optional(
      Type.String({ description: 'SUCCESS, FAILURE, PENDING, UNKNOWN, ERROR; else order.status' }),
    ),
    merchant: text,
    version: text,
    gatewayEntryPoint: text,
    timeOfRecord: text,
    timeOfLastUpdate: text,
    order: Type.Object({
      id: Type.String({ description: 'Our order id, transaction id or your invoice id' }),
      reference: text,
      status: text,
      amount,
      currency: text,
      creationTime: text,
      lastUpdatedTime: text,
      totalAuthorizedAmount: amount,
      totalCapturedAmount: amount,
      totalRefundedAmount: amount,
      totalDisbursedAmount: amount,
      chargeback: group({ amount, currency: text }),
    }),
    transaction: Type.Object({
      id: Type.String(),
      type: Type.String({
        description: 'PAYMENT, AUTHORIZATION, CAPTURE, AUTHENTICATION, REFUND, VOID_PAYMENT …',
      }),
      targetTransactionId: text,
      amount,
      currency: text,
      receipt: text,
      reference: text,
      authorizationCode: text,
      acquirer: group({ id: text, transactionId: text, merchantId: text }),
    }),
    response: group({
      gatewayCode: text,
      gatewayRecommendation: text,
      acquirerCode: text,
      acquirerMessage: text,
    }),
    sourceOfFunds: group({
      type: text,
      provided: group({
        card: group({ brand: text, scheme: text, fundingMethod: text, issuer: text, number: text }),
      }),
    }),
    authentication: group({ '3ds': group({}), '3ds2': group({}) }),
    device: group({ browser: text, ipAddress: text }),
    risk: group({ response: group({ gatewayCode: text }) }),
  },
  {
    description:
      'Proved by X-Notification-Secret. JSON, or form data with dotted names such as order.id.',
  },
);
