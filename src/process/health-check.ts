/** Exit code 0 if the service in the container is ready, else 1. It needs no curl, and loads nothing of the service. */
import { get } from 'node:http';

// An empty variable counts as not set, as for the service.
const host = process.env.HOST?.trim() || '127.0.0.1';
const port = process.env.PORT?.trim() || '8080';
const answerMsMax = 4_000;

const request = get(
  { host: localAddressOf(host), port, path: '/readyz', timeout: answerMsMax },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
);
request.on('timeout', () => process.exit(1));
request.on('error', () => process.exit(1));

/** A service that listens on all addresses also listens on loopback. */
function localAddressOf(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
