/** Starts the service as `npm start` does, and the floor server; both are stopped and cleaned up afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { embeddedAddress } from '../../src/embedded-postgres/embedded-database.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { findFreePort } from '../harness/free-port.ts';
import type { Served } from './load.ts';

const root = new URL('../../', import.meta.url).pathname;

/** The environment and the arguments of Node in the `start` script. */
const [settings = '', words = ''] = packageFile.scripts.start.split(' node ');
const startWords: readonly string[] = words.split(' ');
const startEnv = Object.fromEntries(
  settings.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=')] : [])),
);

export type Program = Served & { readonly stop: () => Promise<void> };

export async function startFloor(): Promise<Program> {
  return startProgram(['tools/bench/floor-server.ts'], {});
}

export async function startService(
  dataDir: string,
  { workers = 1, nodeOptions = [] as readonly string[], env = {} as Record<string, string> } = {},
): Promise<Program> {
  const program = await startProgram([...nodeOptions, ...startWords], {
    ...startEnv,
    DATA_DIR: dataDir,
    WORKERS: String(workers),
    LOG_LEVEL: 'warn',
    ...env,
  });
  const pidFile = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(
    () => '',
  );
  return { ...program, databasePid: Number(pidFile.split('\n')[0]) || undefined } as Program;
}

export async function withDataDir<Result>(
  use: (dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-order-service-bench-'));
  try {
    return await use(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

export async function openStageDatabase(dataDir: string) {
  return openDatabase(await embeddedAddress(dataDir));
}

async function startProgram(
  words: readonly string[],
  env: Record<string, string>,
): Promise<Program> {
  const port = await findFreePort();
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await untilItSays(child, 'is ready on');
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function untilItSays(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes(words)) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${text}`)));
  });
}
