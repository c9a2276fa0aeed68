/** HAProxy in front of PostgreSQL: it asks each Patroni whether its server is the leader, and leads there. */
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../harness/free-port.ts';
import { launch } from '../../harness/launch.ts';
import type { Programs, User } from '../programs.ts';
import type { PatroniNode } from './node.ts';

export async function startProxy(
  { haproxy }: Programs,
  folder: string,
  user: User,
  nodes: readonly PatroniNode[],
) {
  const port = await findFreePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, settingsOf(port, nodes));
  if (user) await chown(file, user.uid, user.gid);
  const running = launch([haproxy, '-db', '-f', file], {}, { cwd: folder, ...(user && { user }) });
  return {
    port,
    close: async () => {
      await running.end('SIGKILL').catch(() => undefined);
    },
  };
}

/** Sessions to a server that is no longer the leader are closed, or the service would wait for them. */
function settingsOf(port: number, nodes: readonly PatroniNode[]): string {
  const servers = nodes.map(
    ({ name, layout }) =>
      `  server ${name} 127.0.0.1:${layout.outerPostgresPort} check port ${layout.outerRestPort}`,
  );
  return [
    'global',
    '  maxconn 2000',
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 1s',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk',
    '  http-check send meth GET uri /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ].join('\n');
}
