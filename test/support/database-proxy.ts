/**
 * A TCP proxy before PostgreSQL that reads along: it knows which statements pass, and at the one it was told
 * it lets something happen, before the server gets it or after the server has answered it.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { clusterAddress } from './test-database.ts';

export type Side = 'before' | 'after';

export type DatabaseProxy = {
  /** Every statement that passed since it was last asked, by name, or by its words when it has none. */
  readonly takePassed: () => string[];
  readonly cutOnce: (statement: string, side: Side) => void;
  /** Does this when the statement comes for the n-th time from now on; the connection then stands still. */
  readonly doOnce: (at: ProxyPoint, act: () => void) => void;
  /** True until what was asked for last has happened. */
  readonly isArmed: () => boolean;
  readonly disarm: () => void;
};

export type ProxyPoint = {
  readonly statement: string;
  readonly side: Side;
  readonly occurrence: number;
};

type Armed = {
  readonly statement: string;
  readonly side: Side;
  left: number;
  readonly act: (cut: () => void) => void;
};

/** From here on the databases of this test file are reached through it. */
export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const address = clusterAddress();
  const passed: string[] = [];
  let armed: Armed | undefined;
  /** What is to happen at this statement. */
  const takeArmed = (statement: string): Armed | undefined => {
    if (armed?.statement !== statement) return undefined;
    armed.left -= 1;
    if (armed.left > 0) return undefined;
    const taken = armed;
    armed = undefined;
    return taken;
  };

  const proxy = createServer((client) => {
    const server = connect(join(address.host, `.s.PGSQL.${address.port}`));
    const cut = () => client.destroy();
    const readClient = createReader(false);
    const readServer = createReader(true);
    // Each is answered with one "ready"; the one that opens the connection as well.
    let questions = 1;
    let answers = 0;
    let met: Armed | undefined;
    let isHeld = false;
    client.on('data', (chunk) => {
      const on: Buffer[] = [];
      for (const message of readClient(chunk)) {
        if (isHeld) break;
        const statement = nameOf(message);
        if (statement) passed.push(statement);
        if (statement) met ??= takeArmed(statement);
        isHeld = met?.side === 'before';
        if (isHeld) break;
        on.push(message.bytes);
        if (message.type !== sync && message.type !== simple) continue;
        questions += 1;
        isHeld = met !== undefined;
      }
      if (on.length > 0) server.write(Buffer.concat(on));
      if (isHeld && met?.side === 'before') met.act(cut);
    });
    server.on('data', (chunk) => {
      answers += readServer(chunk).filter(({ type }) => type === ready).length;
      if (met === undefined) client.write(chunk);
      else if (isHeld && met.side === 'after' && answers === questions) met.act(cut);
    });
    closeTogether(client, server);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // It must outlive the databases that are dropped through it, and keep nobody waiting.
  proxy.unref();
  const { port } = proxy.address() as { port: number };
  process.env.TEST_DATABASE_ADDRESS = JSON.stringify({ ...address, host: '127.0.0.1', port });
  return {
    takePassed: () => passed.splice(0),
    cutOnce: (statement, side) => {
      armed = { statement, side, left: 1, act: (cut) => cut() };
    },
    doOnce: ({ statement, side, occurrence }, act) => {
      armed = { statement, side, left: occurrence, act };
    },
    isArmed: () => armed !== undefined,
    disarm: () => {
      armed = undefined;
    },
  };
}

function closeTogether(client: Socket, server: Socket): void {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.on('error', () => {});
  server.on('error', () => {});
}

const [parse, bind, simple, sync, ready] = Buffer.from('PBQSZ');

type Message = { readonly type: number | undefined; readonly bytes: Buffer };

/** Whole messages, as the bytes of one side come in. */
function createReader(isServer: boolean): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let hasBegun = isServer;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      // The first message of a client has a length and no type.
      const head = hasBegun ? 1 : 0;
      if (rest.length < head + 4) return messages;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return messages;
      messages.push({ type: hasBegun ? rest[0] : undefined, bytes: rest.subarray(0, end) });
      rest = rest.subarray(end);
      hasBegun = true;
    }
  };
}

function nameOf({ type, bytes }: Message): string | undefined {
  if (type !== bind && type !== simple && type !== parse) return undefined;
  const texts = bytes.toString('latin1', 5).split('\0', 2);
  if (type === bind) return texts[1];
  if (type === simple) return texts[0];
  // One that is prepared under a name is told when it is used.
  return texts[0] === '' ? texts[1] : undefined;
}
