/** The account that is not part of an attack: it creates orders and asks for them, at a steady rate. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Request, send } from '../../harness/send.ts';
import { createOrders } from '../requests.ts';
import type { Shop } from '../shop.ts';

export type Noticed = {
  readonly timesMs: readonly number[];
  /** Answers other than 200, and requests without an answer. */
  readonly refused: number;
};

const callers = 4;
const pauseMs = 10;

export async function watchService(url: string, shop: Shop, seconds: number): Promise<Noticed> {
  const next = createOrders(shop);
  const endMs = performance.now() + seconds * 1_000;
  const timesMs: number[] = [];
  let refused = 0;
  const call = async (request: Request) => {
    const startMs = performance.now();
    const answer = await send(url, request)
      .then(async (response) => {
        if (response.status !== 200) refused += 1;
        return (await response.json()) as Readonly<Record<string, string>>;
      })
      .catch(() => {
        refused += 1;
        return {};
      });
    timesMs.push(performance.now() - startMs);
    await delay(pauseMs);
    return answer as Readonly<Record<string, string>>;
  };
  const callAgain = async () => {
    while (performance.now() < endMs) {
      const create = next();
      const { order_id } = await call(create);
      const path = '/api/v3/transaction-enquiry';
      await call({ ...create, path, body: JSON.stringify({ order_id }) });
    }
  };
  await Promise.all(Array.from({ length: callers }, callAgain));
  return { timesMs, refused };
}
