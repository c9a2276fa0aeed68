/** Encrypted payloads in the reference: an alternative body, and an alternative of every reply. Contract 7. */
import type { Access } from '../guard.ts';
import type { Schema } from './model.ts';

/** Without a token the account is unknown, and so is its key: generate-token takes only plain bodies. */
export function acceptsSealed(access: Access | undefined, hasBody: boolean): boolean {
  return hasBody && access !== undefined && access !== 'public';
}

export function orSealedRequest(plain: Schema): Schema {
  const { required = [] } = plain as { required?: readonly string[] };
  // A body without required fields would also match the encrypted one, and of `oneOf` only one may match.
  const exclusive = required.length > 0 ? plain : { ...plain, not: notSealed };
  const sealed = sealedSchema('encrypted_payload', 'body', {
    title: 'EncryptedRequest',
    description:
      'The body of an account with encrypted payloads, sent with a merchant token. See Encrypted payloads.',
  });
  return { oneOf: [exclusive, sealed] };
}

const notSealed = {
  properties: { encrypted_payload: { description: 'Belongs to the encrypted body.' } },
  required: ['encrypted_payload'],
};

export function orSealedReply(plain: Schema): Schema {
  const sealed = sealedSchema('encrypted_response', 'reply', {
    title: 'EncryptedReply',
    description: 'The reply to an encrypted request. It has the same status as the plain reply.',
  });
  return { oneOf: [plain, sealed] };
}

export function orSealedEvent(plain: Schema): Schema {
  const names = {
    title: 'EncryptedEvent',
    description: 'An event of an account with encrypted payloads. See Encrypted payloads.',
  };
  const sealed = sealedSchema('encrypted_response', 'event', names, {
    sub_merchant_id: { type: 'string', description: 'Identifier of the account.' },
  });
  return { oneOf: [plain, sealed] };
}

function sealedSchema(
  field: string,
  content: 'body' | 'reply' | 'event',
  names: Schema,
  others: Schema = {},
): Schema {
  const hex = {
    type: 'string',
    pattern: '^([0-9A-Fa-f]{2}){33,}$',
    description: `Hexadecimal text of nonce (16 bytes), ciphertext and tag (16 bytes): the plain JSON ${content} in AES-256-GCM.`,
  };
  const properties = { [field]: hex, ...others };
  return { type: 'object', required: Object.keys(properties), properties, ...names };
}

/** One recorded exchange, shown with every operation that accepts encrypted bodies. */
export const sealedExamplesFile = new URL('../merchant/examples/encrypted.json', import.meta.url);

export const sealedExamples = {
  request: { encrypted: { $ref: '#/components/examples/EncryptedRequest' } },
  reply: { encrypted: { $ref: '#/components/examples/EncryptedReply' } },
  event: { encrypted: { $ref: '#/components/examples/EncryptedEvent' } },
};
