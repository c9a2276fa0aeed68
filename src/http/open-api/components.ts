/** What operations share: headers, parameters, and how callers prove who they are. */
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';
import type { Access } from '../guard.ts';
import type { Parameter } from './model.ts';

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

/** By the name under which the components of the document list them. */
export const headerComponents = {
  RequestId: text(
    'Identifies the request in the logs of the operator: the id that you sent, or a new one.',
    'checkout-8f14e45f',
  ),
  IdempotentReplayed: {
    ...text('Present, with the value true, when the request repeated an earlier one.', 'true'),
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer' },
    example: 1,
  },
  WwwAuthenticate: text('The kind of token that is needed.', 'Bearer'),
};

/** Without examples: the page would send them with every call that is tried out. */
export const parameterComponents: Readonly<Record<string, Parameter>> = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description:
      'Your own id of the request: 1 to 64 letters, digits, dots, dashes or underscores. The reply repeats it.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
  },
  Encryption: {
    name: 'encryption',
    in: 'header',
    description: 'With the value ignore, the reply to an encrypted request is sent in plain JSON.',
    // Without a list of its only value, which the page would send by default.
    schema: { type: 'string' },
  },
  ...Object.fromEntries(
    Object.entries({
      id: 'The id of the event. A repeat has the same.',
      timestamp: 'Unix seconds of this attempt.',
      signature:
        'For each valid secret of the endpoint v1, and the base64 of the HMAC-SHA256 of id.timestamp.body, separated by spaces. Verify it over the raw body before you read it.',
    }).map(([name, description]) => [
      `webhook-${name}`,
      {
        name: `webhook-${name}`,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      },
    ]),
  ),
};

export function headersOf(status: number, { replays = false } = {}): Record<string, object> {
  const component = (name: keyof typeof headerComponents) => ({
    $ref: `#/components/headers/${name}`,
  });
  return {
    'x-request-id': component('RequestId'),
    ...(replays && { 'Idempotent-Replayed': component('IdempotentReplayed') }),
    ...((status === 429 || status === 503) && { 'Retry-After': component('RetryAfter') }),
    ...(status === 401 && { 'WWW-Authenticate': component('WwwAuthenticate') }),
  };
}

export function securitySchemes(): Record<string, object> {
  const token = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
  return {
    merchantToken: {
      ...token,
      description:
        'The token of generate-token, valid for 20 minutes. It may make every call of its account. Keep it on your server.',
    },
    orderToken: {
      ...token,
      description:
        'The token of create order or refresh-token, valid for 20 minutes. It opens one order, may be used in a browser, and sees personal data masked.',
    },
    ...Object.fromEntries(
      deliveryProviders.map(({ name, proofHeader, documentation }) => [
        proofSchemeOf(name),
        {
          type: 'apiKey',
          in: 'header',
          name: proofHeader,
          description: documentation.proofDescription,
        },
      ]),
    ),
  };
}

/** The proofs that a route accepts, one of them. */
export const securityOf: Readonly<Record<Access, readonly object[]>> = {
  public: [],
  anyone: [{}, { merchantToken: [] }, { orderToken: [] }],
  merchant: [{ merchantToken: [] }],
  order: [{ merchantToken: [] }, { orderToken: [] }],
};

/** `bank-card` becomes `bankCardProof`. */
export function proofSchemeOf(providerName: string): string {
  return `${toCamelCase(providerName)}Proof`;
}

export function toCamelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
