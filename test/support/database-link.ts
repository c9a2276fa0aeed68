/**
 * A TCP link to PostgreSQL that can be closed, frozen and slowed down like a real network or server. The service under
 * test connects to the link instead of the database.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { closeBoth, clusterAddress, connectToCluster } from './test-database.ts';

export type DatabaseLink = Awaited<ReturnType<typeof openDatabaseLink>>;

/** Opens a link to the test database with this URL. */
export async function openDatabaseLink(testUrl: string, user?: string) {
  const { user: owner } = clusterAddress();
  const name = new URL(testUrl.replace('@/', '@host/')).pathname;
  const pairs = new Set<Pair>();
  const mute = new Set<Pair>();
  let isFrozen = false;
  let delayMs = 0;
  let opened = Promise.withResolvers<void>();

  const accept = (client: Socket) => {
    const server = connectToCluster();
    const pair = { client, server };
    pairs.add(pair);
    if (isFrozen) hold(pair);
    client.on('data', (chunk) => server.write(chunk));
    let before: Promise<unknown> = Promise.resolve();
    server.on('data', (chunk) => {
      // Answers stay in order, also when the link is opened while some are held.
      const due = delayMs > 0 && Promise.race([delay(delayMs), opened.promise]);
      before = Promise.all([before, due]).then(() => client.write(chunk));
    });
    closeBoth(client, server);
    client.on('close', () => pairs.delete(pair));
  };
  const listen = async (at = 0): Promise<Server> => {
    const listener = createServer(accept).listen(at, '127.0.0.1');
    await once(listener, 'listening');
    return listener;
  };
  let listener = await listen();
  const { port: ownPort } = listener.address() as { port: number };
  const cut = () => {
    for (const { client } of pairs) client.resetAndDestroy();
  };
  /** Works normally again and forwards everything that was held. */
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
    /** The URL of the database through this link. */
    url: `postgres://${user ?? owner}@127.0.0.1:${ownPort}${name}`,
    /** Closes the port and cuts all connections, as if the server had stopped. */
    close: async () => {
      listener.close();
      cut();
      if (listener.listening) await once(listener, 'close');
    },
    /** Accepts connections and forwards nothing, as if the server hung. */
    freeze: () => {
      isFrozen = true;
      for (const pair of pairs) hold(pair);
    },
    /** Delays every answer by this time. */
    slow: (milliseconds: number) => {
      delayMs = milliseconds;
    },
    open,
    /** Works normally for new connections only. Existing ones stay frozen, as after a failover. */
    openToNewConnections: async () => {
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
