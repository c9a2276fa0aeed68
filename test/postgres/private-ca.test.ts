/** A PostgreSQL behind TLS with a certificate that only a file of the operator vouches for, as managed ones have it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { testCertificate, testKey } from '../support/certificate.ts';
import {
  createTemporaryFolder,
  runFailingStart,
  startServiceProcess,
} from '../support/service-process.ts';
import { clusterAddress, createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const { host, port, user } = clusterAddress();
const { url } = await createTestDatabase();
const front = `postgres://${user}@localhost:${await startTlsFront()}`;
const base = `${front}${new URL(url.replace('@/', '@host/')).pathname}?sslmode=verify-full`;
const env = { MASTER_KEY: testMasterKeyHex };

test('sslrootcert names the certificate of a private CA', async () => {
  const file = join(await createTemporaryFolder(), 'ca.crt');
  await writeFile(file, testCertificate);
  const service = await startServiceProcess({
    ...env,
    DATABASE_URL: `${base}&sslrootcert=${file}`,
  });
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a certificate that nobody vouches for stops the start with one sentence', async () => {
  const { code, output } = await runFailingStart({ ...env, DATABASE_URL: base });
  assert.equal(code, 1);
  assert.match(output, /certificate/);
});

/** Answers the question for TLS, and passes everything inside it on to the test cluster. */
async function startTlsFront(): Promise<number> {
  const secureContext = createSecureContext({ key: testKey, cert: testCertificate });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const client = new TLSSocket(socket, { isServer: true, secureContext });
      const behind = connect(join(host, `.s.PGSQL.${port}`));
      for (const one of [client, behind]) one.on('error', () => socket.destroy());
      client.pipe(behind).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}
