/** The service with its embedded database, which can be killed at any moment and restarted on the same folder. */
import type { Environment } from '../harness/project.ts';
import { findServerPid } from '../harness/server-pid.ts';
import { startService, waitUntilReady } from '../harness/service.ts';

export type Victim = 'service' | 'database' | 'both';

export type KillableService = Awaited<ReturnType<typeof startKillable>>;

const readySecondsMax = 60;

export async function startKillable(env: Environment & { readonly DATA_DIR: string }) {
  const start = () => startService(env, { showErrors: true, readySecondsMax });
  let service = await start();
  return {
    baseUrl: service.baseUrl,
    /** Sends SIGKILL, restarts, and resolves with the milliseconds until the service is ready again. */
    kill: async (victim: Victim) => {
      const killedAt = performance.now();
      const serverPid = await findServerPid(env.DATA_DIR);
      if (victim !== 'service' && serverPid !== undefined) killNow(serverPid);
      if (victim === 'database') {
        await waitUntilReady(service, readySecondsMax);
      } else {
        await service.end('SIGKILL');
        service = await start();
      }
      return performance.now() - killedAt;
    },
    stop: async () => {
      await service.end('SIGTERM');
    },
  };
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
