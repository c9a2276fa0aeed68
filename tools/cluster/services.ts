/** Services as processes of their own on the cluster, and the shops that call them. */
import { randomBytes } from 'node:crypto';
import type { Closers } from '../harness/closers.ts';
import { runCommand, runJsonCommand } from '../harness/command-line.ts';
import type { Environment } from '../harness/project.ts';
import { type Service, startService } from '../harness/service.ts';
import type { LoadShop } from './load.ts';

export type ClusterService = Service & { readonly name: string };

/** For the command line. */
export function environmentFor(databaseUrl: string): Environment {
  return {
    MASTER_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    DATABASE_URL: databaseUrl,
  };
}

/** Runs a command that must succeed. */
export async function succeed(words: readonly string[], env: Environment): Promise<void> {
  const { code, stderr } = await runCommand(words, env);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
}

/** One for each name, on the database of its URL. */
export async function startServices(
  databaseUrls: Readonly<Record<string, string>>,
  env: Environment,
  closers: Closers,
): Promise<ClusterService[]> {
  const services: ClusterService[] = [];
  for (const [name, url] of Object.entries(databaseUrls)) {
    const service = await startService({ ...env, DATABASE_URL: url, MIGRATE: 'no' });
    closers.add(() => service.end('SIGTERM'));
    services.push({ ...service, name });
  }
  return services;
}

export async function openShop(
  service: Service | undefined,
  env: Environment,
  name = 'Cluster shop',
): Promise<LoadShop> {
  const account = await runJsonCommand(['account', 'create', '--name', name], env);
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
