/** The public URL of the service, as its command line knows it, and advice where no provider can reach it. */
import { isLoopback } from '../../domain/web-address.ts';
import { findServiceUrl } from '../../embedded-postgres/service-url-file.ts';
import type { Config } from '../../process/config.ts';

/** `PUBLIC_URL` comes first, then the URL of the running embedded service, then the default. */
export async function withServedUrl(config: Config, env: NodeJS.ProcessEnv): Promise<Config> {
  const isSet = Boolean(env.PUBLIC_URL?.trim());
  if (isSet || config.databaseUrl !== undefined) return config;
  const publicUrl = await findServiceUrl(config.dataDir);
  return publicUrl === undefined ? config : { ...config, publicUrl };
}

export function adviseOnPublicUrl({ publicUrl, databaseUrl }: Config): string[] {
  const { hostname } = new URL(publicUrl);
  // The last two are what a service without PUBLIC_URL has when it listens on every address.
  if (!isLoopback(hostname) && hostname !== '0.0.0.0' && hostname !== '[::]') return [];
  const where =
    databaseUrl === undefined
      ? 'start the service with its public address'
      : 'set its public address for the service and for this command';
  return [
    `No provider can reach webhook URLs at ${publicUrl}: ${where}, such as PUBLIC_URL=https://pay.example.com.`,
  ];
}
