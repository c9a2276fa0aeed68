/** The fields of the gateway's body that stay when its consumer is erased: all that `translate.ts` reads. */
import { createErasing, leaves, type Shape } from '../erase.ts';
import type { WireObject } from '../wire.ts';
import { readGatewayBody } from './body.ts';

const riskDecision: Shape = { gatewayCode: 'keep', review: { decision: 'keep' } };

const shape: Shape = {
  ...leaves('keep', 'result merchant version gatewayEntryPoint timeOfRecord timeOfLastUpdate'),
  order: {
    ...leaves('keep', 'id reference status amount currency creationTime lastUpdatedTime'),
    ...leaves('keep', 'authenticationStatus merchantAmount merchantCategoryCode merchantCurrency'),
    ...leaves('keep', 'totalAuthorizedAmount totalCapturedAmount totalDisbursedAmount'),
    totalRefundedAmount: 'keep',
    chargeback: leaves('keep', 'amount currency'),
  },
  transaction: {
    ...leaves('keep', 'id type targetTransactionId amount currency receipt reference'),
    ...leaves('keep', 'authorizationCode authenticationStatus source stan terminal'),
    acquirer: leaves('keep', 'batch date id merchantId settlementDate timeZone transactionId'),
  },
  response: {
    ...leaves('keep', 'result acquirerCode'),
    ...leaves('text', 'gatewayCode gatewayRecommendation acquirerMessage'),
    risk: riskDecision,
  },
  risk: { response: riskDecision, review: { decision: 'keep' } },
  sourceOfFunds: {
    type: 'keep',
    provided: {
      card: {
        ...leaves('text', 'brand scheme fundingMethod issuer'),
        number: 'keep',
        nameOnCard: 'word',
      },
    },
  },
  customer: {
    ...leaves('word', 'email firstName lastName'),
    ...leaves('phone', 'phone mobilePhone'),
  },
  device: { ipAddress: 'word' },
};

export const gatewayErasing = createErasing(shape, readGatewayBody, (erased, body) =>
  body.toString('utf8').trimStart().startsWith('{') ? JSON.stringify(erased) : toForm(erased),
);

function toForm(body: WireObject): string {
  const pairs: [string, string][] = [];
  const visit = (value: unknown, name: string): void => {
    if (typeof value !== 'object' || value === null) {
      pairs.push([name, String(value ?? '')]);
      return;
    }
    const inner = Object.entries(value);
    for (const [key, entry] of inner) visit(entry, name === '' ? key : `${name}.${key}`);
    // An empty object must still be an object when it is read again.
    if (inner.length === 0 && name !== '') pairs.push([`${name}.`, '']);
  };
  visit(body, '');
  return new URLSearchParams(pairs).toString();
}
