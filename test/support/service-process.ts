/** The service as a process of its own, started the way `npm start` starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, callService, type Reply } from './test-service.ts';

export const projectDir = new URL('../../', import.meta.url).pathname;

export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly port: number;
  /** Everything it printed on both streams so far. */
  readonly output: () => string;
  readonly call: (path: string, call?: Call) => Promise<Reply>;
  /** Sends the signal and resolves with the exit code, null when the signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** Starts it and waits until it serves; without DATABASE_URL give it a DATA_DIR. */
export async function startServiceProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const port = env.PORT === undefined ? await findFreePort() : Number(env.PORT);
  const { child, output, exited } = launchService({ ...env, PORT: String(port) });
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await isReady(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output()}`);
    await delay(20);
  }
  return {
    child,
    baseUrl,
    port,
    output,
    call: (path, call) => callService(baseUrl, path, call),
    end: async (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a start that is expected to fail; resolves with the exit code and all it printed. */
export async function runFailingStart(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const port = env.PORT ?? String(await findFreePort());
  const { output, exited } = launchService({ ...env, PORT: port });
  return { code: await exited, output: output() };
}

function launchService(env: Record<string, string>) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: projectDir,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  after(async () => {
    // SIGTERM, so that an embedded database ends with its service.
    child.kill('SIGTERM');
    await exited;
  });
  return { child, exited, output: () => chunks.join('') };
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).ok;
  } catch {
    return false;
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A folder that is gone after the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pos-folder-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
