/** A real nginx with deploy/proxy/nginx.conf, where one is installed; only ports, files and the service's address are others. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { findProgram } from '../../tools/harness/find-program.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, launch } from '../../tools/harness/launch.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { testCertificate, testKey } from './certificate.ts';

const nginx = findProgram('nginx');

/** For tests that are skipped without it; `npm ci` cannot install it. */
export const noNginx = nginx === undefined && 'nginx is not installed';

export type Nginx = { readonly httpPort: number; readonly httpsPort: number };

/** `edit` changes the file as an operator would. Resolves when it listens. */
export async function startNginx(
  servicePort: number,
  edit: (text: string) => string = (text) => text,
): Promise<Nginx> {
  const [httpPort, httpsPort] = [await findFreePort(), await findFreePort()];
  const { path, remove } = await makeTemporaryFolder('pos-nginx-', 0o711);
  const inFolder = (name: string) => join(path, name);
  const site = edit(await readFile(join(projectDir, 'deploy/proxy/nginx.conf'), 'utf8'))
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('listen 80', `listen 127.0.0.1:${httpPort}`)
    .replaceAll('listen 443', `listen 127.0.0.1:${httpsPort}`)
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, path)
    .replaceAll('/var/log/nginx', path)
    .replace('server 127.0.0.1:8080', `server 127.0.0.1:${servicePort}`);
  await writeFile(inFolder('fullchain.pem'), testCertificate);
  await writeFile(inFolder('privkey.pem'), testKey);
  await writeFile(inFolder('site.conf'), site);
  await writeFile(inFolder('nginx.conf'), mainText(path));
  const words = [nginx ?? '', '-p', path, '-e', inFolder('error.log'), '-c', 'nginx.conf'] as const;
  const launched = launch(words, {});
  after(async () => {
    await launched.end('SIGTERM');
    await remove();
  });
  await waitUntil('nginx listens', async () => {
    await assertRunning(launched);
    return existsSync(inFolder('nginx.pid'));
  });
  return { httpPort, httpsPort };
}

/** As in Debian's own file, which has 768 connections for each worker. */
function mainText(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};`).join('\n');
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 768; }
http {
${folders}
  include site.conf;
}
`;
}
