/** Services as processes of their own on the cluster: half of them through HAProxy, half with every server in the URL. */
import { randomBytes } from 'node:crypto';
import type { Closers } from '../harness/closers.ts';
import { runCommand, runJsonCommand } from '../harness/command-line.ts';
import type { Environment } from '../harness/project.ts';
import { type Service, startService } from '../harness/service.ts';
import type { DatabaseCluster, Way } from './database-cluster.ts';
import type { LoadShop } from './load.ts';

export type ClusterService = Service & { readonly name: string };

export type ClusterServices = {
  readonly services: readonly ClusterService[];
  readonly shop: LoadShop;
  /** For the command line. */
  readonly env: Environment;
};

const perWay = 2;

export async function startServices(
  { urls }: DatabaseCluster,
  ways: readonly Way[],
  closers: Closers,
): Promise<ClusterServices> {
  const common = { MASTER_KEY: randomBytes(32).toString('hex'), LOG_LEVEL: 'error' };
  const env = { ...common, DATABASE_URL: urls.hosts };
  const migrated = await runCommand(['migrate'], env);
  if (migrated.code !== 0) throw new Error(`migrate: ${migrated.stderr}`);
  const services: ClusterService[] = [];
  for (const way of ways) {
    for (let number = 1; number <= perWay; number += 1) {
      const service = await startService({ ...common, DATABASE_URL: urls[way], MIGRATE: 'no' });
      closers.add(() => service.end('SIGTERM'));
      services.push({ ...service, name: `${way}-${number}` });
    }
  }
  return { services, shop: await openShop(services[0], env), env };
}

async function openShop(service: Service | undefined, env: Environment): Promise<LoadShop> {
  const account = await runJsonCommand(['account', 'create', '--name', 'Cluster shop'], env);
  const { access_key, access_secret } = account;
  const response = await fetch(`${service?.baseUrl}/api/v3/generate-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_key, access_secret }),
  });
  const { token } = (await response.json()) as { token: string };
  return {
    accountId: String(account.account_id),
    webhookSecret: String(account.partner_webhook_secret),
    token,
  };
}
