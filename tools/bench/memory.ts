/**
 * `npm run bench:memory [-- minutes]`: the memory of the service in each minute while 256 connections send creates,
 * enquiries and webhooks. Runs for ten minutes by default; writes `MEMORY.md` next to this file.
 */
import { writeFile } from 'node:fs/promises';
import { measure } from './load.ts';
import { makeOrders, mixed } from './requests.ts';
import { openShop, signIn } from './shop.ts';
import { withDataDir, withService } from './stage.ts';

const minutes = Number(process.argv[2] ?? 10);
const connections = 256;
const ordersAtATime = 30_000;

await withDataDir((dataDir) =>
  withService(dataDir, async (service, database) => {
    const opened = await openShop(service.url, dataDir);
    const lines: string[] = [];
    for (let minute = 1; minute <= minutes; minute += 1) {
      let [requests, refused, memoryBytes] = [0, 0, 0];
      const shop = await signIn(service.url, opened);
      for (let part = 0; part < 4; part += 1) {
        const next = mixed(shop, await makeOrders(database, service.url, shop, ordersAtATime));
        const measured = await measure(service, next, { connections, seconds: 15 });
        requests += measured.perSecond * 15;
        refused += measured.refused;
        memoryBytes = Math.max(memoryBytes, measured.memoryBytes);
      }
      const cells = [minute, requests.toFixed(0), refused, (memoryBytes / 1e6).toFixed(0)];
      lines.push(`| ${cells.join(' | ')} |`);
      console.log(lines.at(-1));
    }
    const text = `# Memory

\`npm run bench:memory\`: ${connections} connections create, ask twice and deliver in turn. The most that the process had
in memory in each minute, in millions of bytes; we want less than 200, and no growth.

| minute | requests | not 200 | memory MB |
|---:|---:|---:|---:|
${lines.join('\n')}
`;
    await writeFile(new URL('MEMORY.md', import.meta.url), text);
  }),
);
