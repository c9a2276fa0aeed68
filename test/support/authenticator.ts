/** A passkey in software: real keys, real CBOR, attestation `none`. It can also lie about everything it signs. */
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';

type Options = {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
};

/** What is signed instead of the truth. */
export type Lies = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly type?: string;
  /** No fingerprint and no PIN. */
  readonly isUnverified?: boolean;
  /** One bit of the signature is changed. */
  readonly isForged?: boolean;
};

const flags = { present: 0x01, verified: 0x04, hasKey: 0x40 };

export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  let counter = 0;

  const clientData = (type: string, options: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (options: Options, lies: Lies, isNew: boolean) => {
    const rpId = lies.rpId ?? options.rp?.id ?? options.rpId ?? '';
    const verified = lies.isUnverified ? 0 : flags.verified;
    counter = lies.counter ?? counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([
      hash('sha256', rpId, 'buffer'),
      Buffer.from([flags.present | verified | (isNew ? flags.hasKey : 0)]),
      count,
    ]);
  };
  const keyData = () => {
    const cose = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, 16]), credentialId, cose]);
  };
  const id = credentialId.toString('base64url');
  const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };

  return {
    /** The answer to `navigator.credentials.create`. */
    create: (options: Options, lies: Lies = {}) => {
      const authData = Buffer.concat([authenticatorData(options, lies, true), keyData()]);
      const attestation = cborMap([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', options, lies).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** The answer to `navigator.credentials.get`. */
    get: (options: Options, lies: Lies = {}) => {
      const data = clientData('webauthn.get', options, lies);
      const authData = authenticatorData(options, lies, false);
      const signature = sign(
        'sha256',
        Buffer.concat([authData, hash('sha256', data, 'buffer')]),
        privateKey,
      );
      if (lies.isForged) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
      return {
        ...credential,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

type Cbor = number | string | Buffer | Map<Cbor, Cbor>;

function cborMap(entries: ReadonlyArray<readonly [Cbor, Cbor]>): Buffer {
  return cbor(new Map(entries));
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
}

/** The major type and a length or number below 65,536. */
function head(major: number, number: number): Buffer {
  if (number < 24) return Buffer.from([(major << 5) | number]);
  if (number < 256) return Buffer.from([(major << 5) | 24, number]);
  return Buffer.from([(major << 5) | 25, number >> 8, number & 255]);
}
