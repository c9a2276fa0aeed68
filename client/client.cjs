/** The package for `require`. The code is CommonJS, so that `import` and `require` share one copy of each class. */
const { createClient } = require('./lib/create-client.cjs');
const {
  NetworkError,
  PaymentOrderError,
  ServiceCallError,
  UntrustedDataError,
} = require('./lib/errors.cjs');
const { readReturn } = require('./lib/read-return.cjs');
const { verifySignature } = require('./lib/verify-signature.cjs');
const { verifyWebhook } = require('./lib/verify-webhook.cjs');

// Names alone, without values: otherwise Node does not find them for `import`.
module.exports = {
  createClient,
  NetworkError,
  PaymentOrderError,
  readReturn,
  ServiceCallError,
  UntrustedDataError,
  verifySignature,
  verifyWebhook,
};
