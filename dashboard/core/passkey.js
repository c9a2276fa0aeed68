/** The passkeys of this device. The service makes the options and checks the answers. */
import { post } from './api.js';

export const hasPasskeys = 'PublicKeyCredential' in window;

/**
 * Creates a passkey.
 * @param {string} path Of the call that has `/options` and `/verify` below it.
 */
export async function register(path) {
  const options = await post(`${path}/options`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  return post(`${path}/verify`, jsonOf(credential));
}

/**
 * Signs a challenge with a passkey.
 * @param {string} path
 */
export async function prove(path) {
  const options = await post(`${path}/options`);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return post(`${path}/verify`, jsonOf(credential));
}

/** @param {Credential | null} credential */
function jsonOf(credential) {
  if (!(credential instanceof PublicKeyCredential)) {
    throw new DOMException('There is no passkey.', 'NotFoundError');
  }
  return credential.toJSON();
}
