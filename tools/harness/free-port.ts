/**
 * Finds a TCP port of this machine that is free right now. It is below the range from which the kernel gives ports to
 * outgoing connections and to servers that ask for any port, so nothing takes it before it is used.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const [lowest, highest] = [10_240, 32_767];

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
