/** Orders that a caller must not find: unknown, of another account, or not the order of its token. */
import { orderBody } from '../support/order-bodies.ts';
import { startTestService, type TestAccount, type TestService } from '../support/test-service.ts';

export type OrderNotFound = {
  readonly name: string;
  readonly order_id: string;
  readonly token: string;
};

export async function startWithOrdersNotFound(): Promise<{
  readonly service: TestService;
  readonly notFound: readonly OrderNotFound[];
}> {
  const service = await startTestService();
  const createOrder = async ({ token }: TestAccount) =>
    (await service.call('/api/v3/create-order', { token, body: orderBody() })).body;
  const [account, stranger] = [await service.createAccount(), await service.createAccount()];
  const [one, two] = [await createOrder(account), await createOrder(account)];
  const foreign = await createOrder(stranger);
  const { token } = account;
  const [unknown, own] = ['o_0000000000000000', one.token];
  return {
    service,
    notFound: [
      { name: 'an unknown order', order_id: unknown, token },
      { name: "another account's order", order_id: foreign.order_id, token },
      { name: 'an invoice_id in place of an order_id', order_id: one.invoice_id, token },
      { name: 'SQL', order_id: "' or 1=1 --", token },
      { name: "another order of the token's account", order_id: two.order_id, token: own },
      {
        name: "another account's order, by an order token",
        order_id: foreign.order_id,
        token: own,
      },
      { name: 'an unknown order, by an order token', order_id: unknown, token: own },
    ],
  };
}
