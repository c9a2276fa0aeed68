/**
 * A TCP proxy before PostgreSQL that reads along: it knows which statements pass, and cuts the connection at
 * the one it was told, before the server gets it or after the server has answered it.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { clusterAddress } from './test-database.ts';

export type Side = 'before' | 'after';

export type DatabaseProxy = {
  /** Every statement that passed since it was last asked, by name, or by its words when it has none. */
  readonly takePassed: () => Set<string>;
  readonly cutOnce: (statement: string, side: Side) => void;
  /** True when the cut that was asked for has been made. */
  readonly hasCut: () => boolean;
};

/** From here on the databases of this test file are reached through it. */
export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const address = clusterAddress();
  const passed = new Set<string>();
  let armed: { readonly statement: string; readonly side: Side } | undefined;
  const isArmedFor = (statements: readonly string[]) =>
    armed !== undefined && statements.includes(armed.statement);

  const proxy = createServer((client) => {
    const server = connect(join(address.host, `.s.PGSQL.${address.port}`));
    const read = createReader();
    let cutsAtAnswer = false;
    client.on('data', (chunk) => {
      const statements = read(chunk);
      for (const statement of statements) passed.add(statement);
      const isCut = isArmedFor(statements);
      const side = armed?.side;
      if (isCut) armed = undefined;
      if (isCut && side === 'before') return void client.destroy();
      cutsAtAnswer ||= isCut;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (cutsAtAnswer) client.destroy();
      else client.write(chunk);
    });
    closeTogether(client, server);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // It must outlive the databases that are dropped through it, and keep nobody waiting.
  proxy.unref();
  const { port } = proxy.address() as { port: number };
  process.env.TEST_DATABASE_ADDRESS = JSON.stringify({ ...address, host: '127.0.0.1', port });
  return {
    takePassed: () => {
      const taken = new Set(passed);
      passed.clear();
      return taken;
    },
    cutOnce: (statement, side) => {
      armed = { statement, side };
    },
    hasCut: () => armed === undefined,
  };
}

function closeTogether(client: Socket, server: Socket): void {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.on('error', () => {});
  server.on('error', () => {});
}

const [parse, bind, simple] = Buffer.from('PBQ');

/** The statements that messages of a client name, as its bytes come in. */
function createReader(): (chunk: Buffer) => string[] {
  let rest: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const statements: string[] = [];
    for (;;) {
      // The first message has a length and no type.
      const head = hasBegun ? 1 : 0;
      if (rest.length < head + 4) return statements;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return statements;
      const statement = hasBegun ? nameOf(rest[0], rest.subarray(5, end)) : undefined;
      if (statement) statements.push(statement);
      rest = rest.subarray(end);
      hasBegun = true;
    }
  };
}

function nameOf(type: number | undefined, body: Buffer): string | undefined {
  const texts = body.toString('latin1').split('\0', 2);
  if (type === bind) return texts[1];
  if (type === simple) return texts[0];
  // One that is prepared under a name is told when it is used.
  return type === parse && texts[0] === '' ? texts[1] : undefined;
}
