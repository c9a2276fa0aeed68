/** The headers that operations share. */
import type { Parameter } from './model.ts';

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const seconds = (description: string) => ({ description, schema: { type: 'integer' }, example: 1 });

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
  RetryAfter: seconds('Seconds to wait before the next attempt.'),
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
};

/** The headers of a reply with this status. */
export function headersOf(status: number, { replays = false } = {}): Record<string, object> {
  return {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ...(replays && { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }),
    ...([429, 503].includes(status) && {
      'Retry-After': { $ref: '#/components/headers/RetryAfter' },
    }),
    ...(status === 401 && {
      'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' },
    }),
  };
}
