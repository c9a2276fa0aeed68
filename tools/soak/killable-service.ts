/** The service with its embedded database, which can be killed at any moment and restarted on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = new URL('../../', import.meta.url).pathname;
const readyMsMax = 60_000;

export type Victim = 'service' | 'database' | 'both';

export type KillableService = {
  readonly baseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  /** Sends SIGKILL, restarts, and resolves with the milliseconds until the service is ready again. */
  readonly kill: (victim: Victim) => Promise<number>;
  readonly stop: () => Promise<void>;
};

export async function startKillable(env: {
  readonly PORT: string;
  readonly DATA_DIR: string;
  readonly SIMULATOR_URL: string;
}): Promise<KillableService> {
  const whole: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    PROVIDER_ASK_SECONDS: '1',
    LOG_LEVEL: 'fatal',
    ...env,
  };
  const baseUrl = `http://127.0.0.1:${env.PORT}`;
  let child = launch(whole);
  await untilReady(baseUrl, child);
  return {
    baseUrl,
    env: whole,
    kill: async (victim) => {
      const killedAt = performance.now();
      const serverPid = await readServerPid(env.DATA_DIR);
      if (victim !== 'service' && serverPid !== undefined) endNow(serverPid);
      if (victim !== 'database') {
        child.kill('SIGKILL');
        await once(child, 'exit');
        child = launch(whole);
      }
      await untilReady(baseUrl, child);
      return performance.now() - killedAt;
    },
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function launch(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** From the server's PID file, which does not exist while the server starts. */
async function readServerPid(dataDir: string): Promise<number | undefined> {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(text.split('\n')[0]) || undefined;
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

async function untilReady(baseUrl: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + readyMsMax;
  while (!(await isReady(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error('the service did not come back');
    await delay(15);
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/readyz`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response?.ok ?? false;
}
