/** The bank card gateway: reports card payments, refunds and voids as JSON or as form data. */
import { hash } from 'node:crypto';
import { matchesAny } from '../../security/compare.ts';
import type { Provider } from '../provider.ts';
import { alternatives, object, text } from '../wire.ts';
import { readGatewayBody } from './body.ts';
import { gatewayErasing } from './erase.ts';
import { gatewayOutbound } from './outbound.ts';
import { displayName, gatewaySettings } from './settings.ts';
import { translateGateway } from './translate.ts';

const proofHeader = 'x-notification-secret';

/** Contract 8.5. */
const references = `merchant order.id order.reference transaction.id transaction.targetTransactionId
  transaction.reference transaction.receipt transaction.authorizationCode transaction.stan transaction.terminal
  transaction.acquirer.id transaction.acquirer.batch transaction.acquirer.merchantId transaction.acquirer.transactionId
  authentication.transactionId authentication.3ds.transactionId authentication.3ds2.dsTransactionId`;
const amounts = `order.amount order.merchantAmount order.chargeback.amount order.totalAuthorizedAmount
  order.totalCapturedAmount order.totalDisbursedAmount order.totalRefundedAmount transaction.amount
  authentication.amount`;

const pathsOf = (paths: string): RegExp => new RegExp(`^(?:${alternatives(paths)})$`);

export const bankGateway: Provider = {
  name: 'bank-gateway',
  displayName,
  paymentModeOtherwise: 'Card',
  documentation: {
    loadSchema: async () => (await import('./schema.ts')).gatewaySchema,
    proofDescription:
      'The notification secret that is set at the gateway: a live bank gateway secret of the account.',
    headers: {
      'x-notification-id':
        'Identifier of the notification. The same id with another body is flagged.',
      'x-notification-attempt': 'Number of the attempt to deliver it.',
    },
    acceptsFormData: true,
    examples: new URL('./examples.json', import.meta.url),
  },
  settings: gatewaySettings,
  outbound: gatewayOutbound,
  proofHeader,
  verify: ({ headers }, secrets) => {
    const given = headers[proofHeader];
    if (given === undefined) return 'absent';
    return matchesAny(secrets, given) ? 'verified' : 'refused';
  },
  findEventId: ({ headers }) => text(headers['x-notification-id']),
  findEventName: ({ body }) => text(object(readGatewayBody(body)?.transaction).type),
  findContentKey: ({ body }) => keyOfContent(body),
  storedHeaders: ['content-type', 'x-notification-id', 'x-notification-attempt'],
  exemptFields: {
    references: pathsOf(references),
    amounts: pathsOf(amounts),
    checkResults: /^response\.cardSecurityCode\.(?:acquirerCode|gatewayCode)$/,
  },
  translate: ({ body }, account) => translateGateway(body, account),
  erasing: gatewayErasing,
};

/** Without a notification id, the same transaction in the same state is a repeat. */
function keyOfContent(bytes: Buffer): string | undefined {
  const body = readGatewayBody(bytes);
  if (!body) return undefined;
  const parts = [
    text(body.merchant),
    text(object(body.order).id),
    text(object(body.transaction).id),
    text(body.timeOfLastUpdate),
    text(body.result) ?? text(object(body.response).result),
    text(object(body.response).gatewayCode),
  ];
  // Without a time, a newer notification could not be distinguished from a repeat.
  if (parts[3] === undefined) return undefined;
  return hash('sha256', JSON.stringify(parts));
}
