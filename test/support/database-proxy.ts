/**
 * A TCP proxy in front of PostgreSQL that parses the protocol. It can run an action at a given statement, before the
 * server receives the statement or after the server has answered it.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { closeBoth, clusterAddress, connectToCluster } from './test-database.ts';

export type Side = 'before' | 'after';

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

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

/** All databases that this test file opens from now on use the proxy. */
export async function startDatabaseProxy() {
  const address = clusterAddress();
  const passed: string[] = [];
  let armed: Armed | undefined;
  /** The action for this statement, if it is due. */
  const takeArmed = (statement: string): Armed | undefined => {
    if (armed?.statement !== statement) return undefined;
    armed.left -= 1;
    if (armed.left > 0) return undefined;
    const taken = armed;
    armed = undefined;
    return taken;
  };

  const proxy = createServer((client) => {
    const server = connectToCluster(address);
    const cut = () => client.destroy();
    const readClient = createReader(false);
    const readServer = createReader(true);
    // Each question gets one ReadyForQuery, and so does the start-up message.
    let questions = 1;
    let answers = 0;
    let due: Armed | undefined;
    let isHeld = false;
    client.on('data', (chunk) => {
      const on: Buffer[] = [];
      for (const message of readClient(chunk)) {
        if (isHeld) break;
        const statement = nameOf(message);
        if (statement) passed.push(statement);
        if (statement) due ??= takeArmed(statement);
        isHeld = due?.side === 'before';
        if (isHeld) break;
        on.push(message.bytes);
        if (message.type !== sync && message.type !== simple) continue;
        questions += 1;
        isHeld = due !== undefined;
      }
      if (on.length > 0) server.write(Buffer.concat(on));
      if (isHeld && due?.side === 'before') due.act(cut);
    });
    server.on('data', (chunk) => {
      answers += readServer(chunk).filter(({ type }) => type === ready).length;
      if (due === undefined) client.write(chunk);
      else if (isHeld && due.side === 'after' && answers === questions) due.act(cut);
    });
    closeBoth(client, server);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // It is needed until the databases are dropped, and must not keep the process alive.
  proxy.unref();
  const { port } = proxy.address() as { port: number };
  process.env.TEST_DATABASE_ADDRESS = JSON.stringify({ ...address, host: '127.0.0.1', port });
  return {
    /** The statements since the last call, by name, or by text if they have no name. */
    takePassed: () => passed.splice(0),
    cutOnce: (statement: string, side: Side) => {
      armed = { statement, side, left: 1, act: (cut) => cut() };
    },
    /** Runs the action at the n-th occurrence of the statement. The connection is then frozen. */
    doOnce: ({ statement, side, occurrence }: ProxyPoint, act: () => void) => {
      armed = { statement, side, left: occurrence, act };
    },
    /** True until the last action has run. */
    isArmed: () => armed !== undefined,
    disarm: () => {
      armed = undefined;
    },
  };
}

const [parse, bind, simple, sync, ready] = Buffer.from('PBQSZ');

type Message = { readonly type: number | undefined; readonly bytes: Buffer };

/** Splits the bytes of one side into complete messages. */
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
  // A named statement counts when it is bound, not when it is prepared.
  return texts[0] === '' ? texts[1] : undefined;
}
