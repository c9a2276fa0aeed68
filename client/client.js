/** The package for `import`. */
export {
  createClient,
  NetworkError,
  PaymentOrderError,
  readReturn,
  ServiceCallError,
  UntrustedDataError,
  verifySignature,
  verifyWebhook,
} from './client.cjs';
