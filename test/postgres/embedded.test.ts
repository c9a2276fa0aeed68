import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/embedded-database.ts';
import { sharedBuffersMb } from '../../src/embedded-postgres/postgres-process.ts';
import { readServerPid } from '../../tools/harness/server-pid.ts';
import { createTemporaryFolder } from '../support/service-process.ts';

test('shared_buffers is a quarter of the memory, within bounds', () => {
  const mebibyte = 2 ** 20;
  const kept = [256, 512, 1_024, 2_048, 65_536].map((size) => sharedBuffersMb(size * mebibyte));
  assert.deepEqual(kept, [128, 128, 256, 512, 512]);
});

// The second path is too long for a socket, which then gets a folder elsewhere.
for (const folder of ['data', join(...Array.from({ length: 8 }, () => 'a-long-name'))]) {
  test(`a server listens on one socket, in a folder closed to others, and on no port: ${folder}`, async () => {
    const dataDir = join(await createTemporaryFolder(), folder);
    await mkdir(dataDir, { recursive: true });
    const { stop } = await startEmbeddedDatabase(dataDir, { warn: () => {} });
    const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
    const [, , , port, socketDir = '', listenAddress] = file.split('\n');
    const ports = await listListeningPorts(await readServerPid(dataDir));
    const socket = await stat(join(socketDir, `.s.PGSQL.${port}`));
    const around = await stat(socketDir);
    await stop();
    await rm(socketDir, { recursive: true });

    assert.deepEqual([listenAddress, ports], ['', []]);
    assert.ok(socket.isSocket());
    assert.deepEqual([socket.mode & 0o077, around.mode & 0o077], [0, 0]);
  });
}

if (process.platform === 'linux') {
  test('the check for listening ports finds one that is open', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ports = await listListeningPorts(process.pid);
    server.close();
    // Other tests of this process may listen on ports of their own.
    assert.ok(ports.includes(port));
  });
}

/** The TCP ports that a process listens on, read from /proc; empty without /proc. */
async function listListeningPorts(pid: number): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const folder = `/proc/${pid}/fd`;
  const opened = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
  );
  const tables = ['tcp', 'tcp6'].map((name) =>
    readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => ''),
  );
  const listening = '0A';
  return (await Promise.all(tables))
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => {
      return state === listening && opened.includes(`socket:[${inode}]`);
    })
    .map(([, local = '']) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
}
