/** A bank gateway that starts every payment and leaves the answer to each poll to the test. */
import type { ServerResponse } from 'node:http';
import { after } from 'node:test';
import { startLocalServer } from '../../tools/harness/local-server.ts';
import type { TestSettings } from './test-account.ts';

/** `answer` gets the gateway's order id. Without an answer the poll hangs. */
export async function startStubGateway(
  answer: (orderId: string, response: ServerResponse) => void,
) {
  const polled: string[] = [];
  const { url, close } = await startLocalServer((request, response) => {
    request.resume();
    const [, orderId] = (request.url ?? '').split('/order/');
    if (orderId === undefined) {
      return answerWith(response, 201, { result: 'SUCCESS', session: { id: 'SESSION1' } });
    }
    polled.push(orderId);
    return answer(orderId, response);
  });
  after(close);
  const settings: TestSettings = {
    paymentModes: { credit_card: 'bank-gateway' },
    providerApis: { 'bank-gateway': { url, login: 'TESTMERCHANT' } },
    apiSecrets: { 'bank-gateway-password': 'password' },
  };
  return {
    /** For an account that pays with this gateway. */
    settings,
    /** The order of each poll so far. */
    polled,
  };
}

/** Nobody has tried to pay yet. */
export function answerUnknown(response: ServerResponse): void {
  answerWith(response, 404, { error: { cause: 'INVALID_REQUEST' } });
}

export function answerWith(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
