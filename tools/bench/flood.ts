/**
 * `npm run bench:flood`: the throughput of creates at full load, and with many times as many connections: once with as
 * many as the admission queue can hold, and once with far more. Measures in turn, three times, and prints each round.
 */
import { type Answered, runLoad } from '../harness/raw-load.ts';
import { createOrders } from './requests.ts';
import { openShop, type Shop } from './shop.ts';
import { startService, withDataDir } from './stage.ts';

const rounds = 3;
const seconds = 6;
const full = 256;
const floods = [3_000, 15_000];

await withDataDir(async (dataDir) => {
  const service = await startService(dataDir);
  try {
    const shop = await openShop(service.url, dataDir);
    const served = async (connections: number) => {
      const answered = await runLoad({ ...loadOf(service.url, shop), connections, seconds });
      return {
        perSecond: countOf(answered, 200) / seconds,
        shed: countOf(answered, 503),
        answered,
      };
    };
    await served(full);
    for (let round = 1; round <= rounds; round += 1) {
      const before = await served(full);
      console.log(`round ${round}: ${before.perSecond.toFixed(0)}/s at ${full} connections`);
      for (const flood of floods) {
        const { perSecond, shed, answered } = await served(flood);
        console.log(
          `  ${perSecond.toFixed(0)}/s at ${flood} (${(perSecond / before.perSecond).toFixed(2)}), ` +
            `${shed} shed, ${answered.lost} lost`,
        );
      }
    }
  } finally {
    await service.stop();
  }
});

function loadOf(url: string, shop: Shop) {
  const next = createOrders(shop);
  return {
    port: Number(new URL(url).port),
    next: () => {
      const { path, headers, body } = next();
      const lines = Object.entries({
        host: 'localhost',
        ...headers,
        'content-length': body.length,
      });
      const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
      return `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`;
    },
  };
}

function countOf({ statuses }: Answered, status: number): number {
  return statuses.get(status) ?? 0;
}
