/**
 * A TCP way to a PostgreSQL that can be closed, frozen and slowed, as networks and servers do it: the service
 * under test is given its address and cannot tell it from the database.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterAddress } from './test-database.ts';

export type DatabaseWay = {
  /** For the service: the same database by this way. */
  readonly url: string;
  /** Nothing listens any more and what was connected is cut, as when the server has ended. */
  readonly close: () => Promise<void>;
  /** Everybody is let in and nobody hears a word, as when the server stands still. */
  readonly freeze: () => void;
  /** Every answer comes so much later. */
  readonly slow: (milliseconds: number) => void;
  /** As before; what was held on the way arrives. */
  readonly open: () => Promise<void>;
  /** As before for those who connect from now on; connections of before stay mute, as after a failover. */
  readonly openToNewcomers: () => Promise<void>;
};

/** The way to the database that this URL of a test database names. */
export async function layDatabaseWay(testUrl: string, user?: string): Promise<DatabaseWay> {
  const { host, port, user: owner } = clusterAddress();
  const name = new URL(testUrl.replace('@/', '@host/')).pathname;
  const pairs = new Set<Pair>();
  const mute = new Set<Pair>();
  let isFrozen = false;
  let delayMs = 0;
  let opened = Promise.withResolvers<void>();

  const welcome = (client: Socket) => {
    const server = connect(join(host, `.s.PGSQL.${port}`));
    const pair = { client, server };
    pairs.add(pair);
    if (isFrozen) hold(pair);
    client.on('data', (chunk) => server.write(chunk));
    let before: Promise<unknown> = Promise.resolve();
    server.on('data', (chunk) => {
      // In the order they were sent, also when the way is opened while some are held.
      const due = delayMs > 0 && Promise.race([delay(delayMs), opened.promise]);
      before = Promise.all([before, due]).then(() => client.write(chunk));
    });
    closeTogether(pair, () => pairs.delete(pair));
  };
  const listen = async (at = 0): Promise<Server> => {
    const listener = createServer(welcome).listen(at, '127.0.0.1');
    await once(listener, 'listening');
    return listener;
  };
  let listener = await listen();
  const { port: ownPort } = listener.address() as { port: number };
  const cut = () => {
    for (const { client } of pairs) client.resetAndDestroy();
  };
  const open = async () => {
    isFrozen = false;
    delayMs = 0;
    opened.resolve();
    opened = Promise.withResolvers();
    if (!listener.listening) listener = await listen(ownPort);
    for (const pair of pairs) if (!mute.has(pair)) release(pair);
  };
  after(() => {
    listener.close();
    cut();
  });
  return {
    url: `postgres://${user ?? owner}@127.0.0.1:${ownPort}${name}`,
    close: async () => {
      listener.close();
      cut();
      if (listener.listening) await once(listener, 'close');
    },
    freeze: () => {
      isFrozen = true;
      for (const pair of pairs) hold(pair);
    },
    slow: (milliseconds) => {
      delayMs = milliseconds;
    },
    open,
    openToNewcomers: async () => {
      for (const pair of pairs) mute.add(pair);
      await open();
    },
  };
}

type Pair = { readonly client: Socket; readonly server: Socket };

function hold({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

function release({ client, server }: Pair): void {
  client.resume();
  server.resume();
}

function closeTogether({ client, server }: Pair, done: () => void): void {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.on('close', done);
  client.on('error', () => {});
  server.on('error', () => {});
}
