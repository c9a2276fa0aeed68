/** Maps the gateway's codes to our failure codes. */
import {
  type FailureCode,
  type FailureReason,
  failureReason,
} from '../../domain/payments/failure.ts';
import { object, text, type WireObject } from '../wire.ts';
import { displayName } from './settings.ts';

const codesByGatewayCode: ReadonlyArray<readonly [FailureCode, RegExp]> = [
  ['PAYMENT_CANCELLED_BY_CONSUMER', /^(CANCELLED|ABORTED)$/],
  ['AUTHENTICATION_FAILED_AT_BANK', /^(AUTHENTICATION_FAILED|NOT_ENROLLED_3D_SECURE)$/],
  ['INSUFFICIENT_FUNDS', /^INSUFFICIENT_FUNDS$/],
  ['LIMIT_EXCEEDED', /^EXCEEDED_RETRY_LIMIT$/],
  [
    'INVALID_PAYMENT_DETAILS',
    /^(EXPIRED_CARD|INVALID_CSC|DECLINED_CSC|DECLINED_AVS.*|DECLINED_INVALID_PIN)$/,
  ],
  ['RISK_REJECTED', /^BLOCKED$/],
  ['PAYMENT_TIMED_OUT', /^TIMED_OUT$/],
  [
    'PROVIDER_TECHNICAL_ERROR',
    /^(SYSTEM_ERROR|ACQUIRER_SYSTEM_ERROR|LOCK_FAILURE|UNSPECIFIED_FAILURE)$/,
  ],
  ['PAYMENT_MODE_NOT_ENABLED', /^NOT_SUPPORTED$/],
  ['DECLINED_BY_BANK', /^(DECLINED|REFERRED|DECLINED_PAYMENT_PLAN|DECLINED_DO_NOT_CONTACT)$/],
];

export function gatewayFailure(body: WireObject): FailureReason {
  const response = object(body.response);
  const gatewayCode = text(response.gatewayCode) ?? '';
  const code = findCode(body, gatewayCode);
  const mayRetry =
    gatewayCode !== 'DECLINED_DO_NOT_CONTACT' &&
    text(response.gatewayRecommendation) !== 'DO_NOT_PROCEED_ABANDON_ORDER';
  const reason = failureReason(code, merchantMessage(body));
  return { ...reason, retryAllowed: reason.retryAllowed && mayRetry };
}

export function refundFailure(body: WireObject): FailureReason {
  return failureReason('REFUND_FAILED', merchantMessage(body));
}

/** The most specific reason wins: risk, then authentication, then a limit, then the gateway's code. */
function findCode(body: WireObject, gatewayCode: string): FailureCode {
  const response = object(body.response);
  const risk = object(body.risk);
  const decisions = [
    object(risk.response).gatewayCode,
    object(object(risk.response).review).decision,
    object(risk.review).decision,
    object(response.risk).gatewayCode,
  ];
  if (decisions.some((decision) => text(decision) === 'REJECTED')) return 'RISK_REJECTED';
  const isAuthentication = text(object(body.transaction).type) === 'AUTHENTICATION';
  const isCancelled = gatewayCode === 'CANCELLED' || gatewayCode === 'ABORTED';
  if (isAuthentication && !isCancelled) return 'AUTHENTICATION_FAILED_AT_BANK';
  const isGeneric = gatewayCode === '' || gatewayCode === 'DECLINED';
  if (isGeneric && ['61', '65'].includes(text(response.acquirerCode) ?? ''))
    return 'LIMIT_EXCEEDED';
  return (
    codesByGatewayCode.find(([, pattern]) => pattern.test(gatewayCode))?.[0] ?? 'PAYMENT_FAILED'
  );
}

function merchantMessage(body: WireObject): string {
  const response = object(body.response);
  const parts = [
    `gateway code ${text(response.gatewayCode) ?? 'not given'}`,
    `acquirer message ${text(response.acquirerMessage) ?? 'not given'}`,
  ];
  return `${displayName} reports: ${parts.join(', ')}.`;
}
