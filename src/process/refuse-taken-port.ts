/** Whether another program listens on the port already, asked before the database is started rather than after. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Config } from './config.ts';
import { explainListenError } from './listen-errors.ts';

/**
 * It connects, because listening for a moment would accept and then reset the requests of a proxy that waits for the
 * service to come back.
 */
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
