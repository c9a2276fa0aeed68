/** Whether the service can listen: another program on the port is found before the database is started rather than after. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { StartError } from '../domain/start-error.ts';
import type { Config } from './config.ts';

/** Connects: listening for a moment would accept and then reset the requests of a proxy that waits for the service. */
export async function refuseTakenPort({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = connect({ host: anyAddress.get(host) ?? host, port });
  try {
    await once(probe, 'connect', { signal: AbortSignal.timeout(answerMsMax) });
  } catch {
    // Nobody listens there, or it is no address of this machine, which `listen` explains later.
    return;
  } finally {
    probe.destroy();
  }
  throw explainListenError({ code: 'EADDRINUSE' }, host, port);
}

/** Hosts that mean every address, with one that can be connected to. */
const anyAddress = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', 'localhost'],
]);

const answerMsMax = 1_000;

export function explainListenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is already in use: stop the other program, or set PORT to a free one.`,
      );
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be used by this user: set PORT to one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST ${host} is not an address of this machine: set HOST to one that is.`,
      );
    default:
      return error;
  }
}
