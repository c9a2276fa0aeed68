/** Encrypted payloads in the reference: an alternative body, and an alternative of every reply. Contract 7. */
import { Type } from 'typebox';
import type { DocumentedRoute } from './documentation.ts';
import type { Schema } from './model.ts';

const hex = { type: 'string', pattern: '^([0-9A-Fa-f]{2}){33,}$' } as const;

const EncryptedRequest = Type.Object(
  {
    encrypted_payload: Type.Unsafe<string>({
      ...hex,
      description:
        'Hexadecimal text of nonce (16 bytes), ciphertext and tag (16 bytes): the plain JSON body in AES-256-GCM.',
    }),
  },
  {
    title: 'EncryptedRequest',
    description:
      'The body of an account with encrypted payloads, sent with a merchant token. See Encrypted payloads.',
  },
);

const EncryptedReply = Type.Object(
  {
    encrypted_response: Type.Unsafe<string>({
      ...hex,
      description:
        'Hexadecimal text of nonce (16 bytes), ciphertext and tag (16 bytes): the plain JSON reply in AES-256-GCM.',
    }),
  },
  {
    title: 'EncryptedReply',
    description: 'The reply to an encrypted request. It has the same status as the plain reply.',
  },
);

/** Without a token the account is unknown, and so is its key: generate-token takes only plain bodies. */
export function acceptsSealed({ access }: DocumentedRoute, hasBody: boolean): boolean {
  return hasBody && access !== undefined && access !== 'public';
}

export function orSealedRequest(plain: Schema): Schema {
  const { required = [] } = plain as { required?: readonly string[] };
  // A body without required fields would also match the encrypted one, and of `oneOf` only one may match.
  const exclusive = required.length > 0 ? plain : { ...plain, not: notSealed };
  return { oneOf: [exclusive, { ...EncryptedRequest }] };
}

const notSealed = {
  properties: { encrypted_payload: { description: 'Belongs to the encrypted body.' } },
  required: ['encrypted_payload'],
};

export function orSealedReply(plain: Schema): Schema {
  return { oneOf: [plain, { ...EncryptedReply }] };
}

/** One recorded exchange, shown with every operation that accepts encrypted bodies. */
export const sealedExamplesFile = new URL('../merchant/examples/encrypted.json', import.meta.url);

export const sealedExamples = {
  encrypted_request: { $ref: '#/components/examples/EncryptedRequest' },
  encrypted_reply: { $ref: '#/components/examples/EncryptedReply' },
};
