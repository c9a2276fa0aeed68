/**
 * `npm run bench:verify [-- orders]`: the time and the peak memory of `verify` over 1,000,000 orders, most of them with
 * no transaction or one. Each million needs about 4 GB of disk.
 */
import packageFile from '../../package.json' with { type: 'json' };
import { launch } from '../harness/launch.ts';
import { fillOrders } from './fill-orders.ts';
import { peakMemoryBytesOf } from './process-usage.ts';
import { openShop } from './shop.ts';
import { withDataDir, withService } from './stage.ts';
import { makeVariedOrders } from './varied-orders.ts';

const count = Number(process.argv[2] ?? 1_000_000);

await withDataDir((dataDir) =>
  withService(dataDir, async (service, database) => {
    const shop = await openShop(service.url, dataDir);
    const sources = await makeVariedOrders(service, database, shop);
    await fillOrders(database, shop.accountId, sources, count, { withPast: true });
    console.log(`${count} orders are stored`);
    await measureVerify(dataDir);
  }),
);

async function measureVerify(dataDir: string): Promise<void> {
  const startedAt = performance.now();
  // With the flags of the script that operators use.
  const [, words = ''] = packageFile.scripts.cli.split(' node ');
  const command = [process.execPath, ...words.split(' '), 'verify'] as const;
  const verifying = launch(command, { DATA_DIR: dataDir }, { showErrors: true });
  let peakBytes = 0;
  const watching = setInterval(async () => {
    peakBytes = Math.max(peakBytes, await peakMemoryBytesOf(verifying.pid));
  }, 500);
  const code = await verifying.exited;
  clearInterval(watching);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(verifying.output());
  console.log(
    `exit status ${code}, ${seconds.toFixed(0)} s, ${(count / seconds).toFixed(0)} orders a second, at most ${(peakBytes / 2 ** 20).toFixed(0)} MB`,
  );
}
