/** The package for `import`. */
export {
  createClient,
  NetworkError,
  PaymentOrderError,
  readReturn,
  ServiceCallError,
  UntrustedDataError,
  verifySignature,
} from './client.cjs';
