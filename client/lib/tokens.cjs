/** The merchant token: requested when it is needed, shared by all calls, renewed before it expires. */

const tokenMarginMs = 30_000;

/** @typedef {{ token: string, expiresAtMs: number }} Token */
/** @typedef {{ get: () => Promise<Token>, drop: (refused: string) => void }} Tokens */

/**
 * Concurrent calls share one request for a new token.
 * @param {() => Promise<{ token: string, expires_at: string }>} generate
 * @returns {Tokens}
 */
function createTokens(generate) {
  /** @type {Token | undefined} */
  let known;
  /** @type {Promise<Token> | undefined} */
  let renewing;
  const renew = () => {
    renewing ??= generate()
      .then(({ token, expires_at }) => {
        known = { token, expiresAtMs: Date.parse(expires_at) };
        return known;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  return {
    get: async () => (known && known.expiresAtMs - tokenMarginMs > Date.now() ? known : renew()),
    // Only the current token is dropped: another call may have renewed it already.
    drop: (refused) => {
      if (known?.token === refused) known = undefined;
    },
  };
}

/**
 * Makes the request once more with a new token if the service refuses the token.
 * @param {Tokens} tokens
 * @param {(authorization: string) => Promise<import('./send.cjs').Reply>} request
 */
async function withToken(tokens, request) {
  const { token } = await tokens.get();
  const reply = await request(`Bearer ${token}`);
  if (reply.status !== 401) return reply;
  tokens.drop(token);
  return request(`Bearer ${(await tokens.get()).token}`);
}

module.exports = { createTokens, withToken };
