/** The fields of the gateway's notifications that are not masked, although a value may look like a card number. */
import type { ExemptFields } from '../../domain/cards/card-fields.ts';

/** Contract 8.5. */
const references = [
  ...['merchant', 'order.id', 'order.reference'],
  ...['transaction.id', 'transaction.targetTransactionId', 'transaction.reference'],
  ...['transaction.receipt', 'transaction.authorizationCode', 'transaction.stan'],
  ...['transaction.terminal', 'transaction.acquirer.id', 'transaction.acquirer.batch'],
  ...['transaction.acquirer.merchantId', 'transaction.acquirer.transactionId'],
  ...['authentication.transactionId', 'authentication.3ds.transactionId'],
  'authentication.3ds2.dsTransactionId',
];
const amounts = [
  ...['order.amount', 'order.merchantAmount', 'order.chargeback.amount'],
  ...['order.totalAuthorizedAmount', 'order.totalCapturedAmount', 'order.totalDisbursedAmount'],
  ...['order.totalRefundedAmount', 'transaction.amount', 'authentication.amount'],
];

export const gatewayExemptFields: ExemptFields = {
  references: pathsOf(references),
  amounts: pathsOf(amounts),
  checkResults: /^response\.cardSecurityCode\.(?:acquirerCode|gatewayCode)$/,
};

function pathsOf(paths: readonly string[]): RegExp {
  return new RegExp(`^(?:${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})$`);
}
