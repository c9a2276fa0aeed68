/** A real HAProxy with the file of compose.cluster.yaml, where one is installed; only addresses and ports are others. */
import { createSocket } from 'node:dgram';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { findProgram } from '../../tools/harness/find-program.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { launch } from '../../tools/harness/launch.ts';
import { type Environment, projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';

export const haproxyFile = join(projectDir, 'deploy/cluster/haproxy.cfg');

export const haproxy = findProgram('haproxy');

/** For tests that are skipped without it; `npm ci` cannot install it. */
export const noHaproxy = haproxy === undefined && 'HAProxy is not installed';

type Proxied = {
  /** The port of every service, at the address that its name has. */
  readonly servicePort: number;
  /** Read at each question. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Variables of the proxy. */
  readonly env?: Environment;
};

/** Resolves with its URL. */
export async function startHaproxy({ servicePort, addresses, env = {} }: Proxied): Promise<string> {
  const [port, namesPort] = [await findFreePort(), await startNameServer(addresses)];
  const text = (await readFile(haproxyFile, 'utf8'))
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('parse-resolv-conf', `nameserver dns 127.0.0.1:${namesPort}`)
    .replaceAll(/(server service-\d service-\d):8080/g, `$1:${servicePort}`);
  const { path, remove } = await makeTemporaryFolder('pos-haproxy-');
  const file = join(path, 'haproxy.cfg');
  await writeFile(file, text);
  const launched = launch([haproxy ?? '', '-db', '-f', file], env);
  after(async () => {
    await launched.end('SIGKILL');
    await remove();
  });
  return `http://127.0.0.1:${port}`;
}

/** Answers like that of Docker: the IPv4 address of a known name, and that there is no other name. */
async function startNameServer(addresses: Proxied['addresses']): Promise<number> {
  const server = createSocket('udp4');
  server.on('message', (question, { port, address }) =>
    server.send(answerTo(question, addresses), port, address),
  );
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  after(() => server.close());
  return server.address().port;
}

/** RFC 1035: a header of 12 bytes, the name as a length and its letters, its type and class; then the answer. */
function answerTo(question: Buffer, addresses: Proxied['addresses']): Buffer {
  const nameEnd = question.indexOf(0, 12);
  const name = question.toString('latin1', 13, nameEnd);
  const known = addresses[name];
  const isIpv4 = question.readUInt16BE(nameEnd + 1) === 1;
  const asked = question.subarray(0, nameEnd + 5);
  asked.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  asked.writeUInt16BE(1, 4);
  for (const offset of [6, 8, 10]) asked.writeUInt16BE(0, offset);
  if (known === undefined || !isIpv4) return asked;
  asked.writeUInt16BE(1, 6);
  // The name of the question, type A, class IN, one second, four bytes.
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...known.split('.').map(Number)];
  return Buffer.concat([asked, Buffer.from(record)]);
}
