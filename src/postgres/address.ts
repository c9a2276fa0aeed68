/** Where the database is. */
import type pg from 'pg';

/** A URL, which may name several servers, or the socket folder of the embedded database. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | Readonly<{ host: string; port: number; user: string; password?: string; database: string }>;

/** The settings with which the driver connects to one server. */
export type Server = Pick<
  pg.ClientConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database'
>;

/** `postgres://user@one:5432,two:5433/orders` is both servers, each with everything else of the URL. Contract 15.2. */
export function serversOf(address: DatabaseAddress): readonly [Server, ...Server[]] {
  if (!('connectionString' in address)) return [address];
  const parts = urlParts.exec(address.connectionString)?.groups;
  if (!parts) return [address];
  const { before = '', hosts = '', after = '' } = parts;
  const [first = '', ...others] = hosts.split(',').map((host) => `${before}${host.trim()}${after}`);
  return [{ connectionString: first }, ...others.map((url) => ({ connectionString: url }))];
}

/** The hosts of a URL as its writer wrote them, without user and password. */
export function hostsOf(connectionString: string): string | undefined {
  const hosts = urlParts.exec(connectionString)?.groups?.hosts;
  return hosts === '' ? undefined : hosts;
}

/** The host begins after the last @, as for the driver: a password may contain a comma, a colon or an @. */
const urlParts = /^(?<before>postgres(?:ql)?:\/\/(?:[^/?]*@)?)(?<hosts>[^/?]*)(?<after>.*)$/s;
