/**
 * Watches every server without the network of its node: when it stops being a standby, and when it commits. A commit waits for the
 * synchronous standby, so a promoted server does not take writes at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withServer } from './server-processes.ts';

export type Watch = ReturnType<typeof startWatch>;

const pauseMs = 25;
const patience = { connectMs: 1_000, queryMs: 1_000 };

type Watched = { readonly name: string; readonly postgresPort: number };

export function startWatch(nodes: readonly Watched[]) {
  const promotions: { readonly node: string; readonly at: number }[] = [];
  const commits: { readonly node: string; readonly at: number }[] = [];
  let isOver = false;
  const watching = nodes.map(async ({ name, postgresPort }) => {
    let wasLeader = false;
    while (!isOver) {
      const look = async (client: pg.Client) => {
        while (!isOver) {
          const isLeader = await leads(client);
          if (isLeader && !wasLeader) promotions.push({ node: name, at: performance.now() });
          wasLeader = isLeader;
          if (isLeader && (await hasCommitted(client))) {
            commits.push({ node: name, at: performance.now() });
          }
          await delay(pauseMs);
        }
      };
      await withServer(postgresPort, 'postgres', look, patience).catch(() => {});
      await delay(pauseMs);
    }
  });
  return {
    /** When a node was first seen as a leader after this moment; undefined if none was. */
    promotedAfter: (node: string, from: number) =>
      promotions.find((promotion) => promotion.node === node && promotion.at >= from)?.at,
    /** The moments of all commits, by this node or by any leader. */
    commits: (wanted?: string) =>
      commits.filter(({ node }) => wanted === undefined || node === wanted).map(({ at }) => at),
    stop: async () => {
      isOver = true;
      await Promise.all(watching);
    },
  };
}

async function leads(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ standby: boolean }>(
    'select pg_is_in_recovery() as standby',
  );
  return rows[0]?.standby === false;
}

/** Writes a few bytes of WAL and no table. False when the server warns that it did not wait for its standby. */
async function hasCommitted(client: pg.Client): Promise<boolean> {
  let isWarned = false;
  const warn = () => {
    isWarned = true;
  };
  client.once('notice', warn);
  await client.query(`select pg_logical_emit_message(true, 'watch', '')`);
  client.off('notice', warn);
  return !isWarned;
}
