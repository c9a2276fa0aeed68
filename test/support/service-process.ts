/** The service as a process of its own, started the way `npm start` starts it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findDatabaseFolder } from '../../src/embedded-postgres/database-folder.ts';
import { findFreePort } from '../../tools/demo/free-port.ts';
import { type Call, callService, type Reply } from './test-service.ts';

export { findFreePort };

export const projectDir = new URL('../../', import.meta.url).pathname;

export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly baseUrl: string;
  readonly port: number;
  /** Everything it printed on both streams so far. */
  readonly output: () => string;
  readonly call: (path: string, call?: Call) => Promise<Reply>;
  /** Sends the signal and resolves with the exit code, null when the signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Resolves with the exit code when it has ended, whoever ended it. */
  readonly exited: Promise<number | null>;
};

type Environment = Readonly<Record<string, string>>;

type Launch = {
  /** What is run; the program itself unless told. */
  readonly command?: readonly [string, ...string[]];
  /** As whom; as the tests themselves unless told. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Where; in the project's folder unless told. */
  readonly cwd?: string;
  /** Puts it into a process group of its own, as a terminal does. */
  readonly ownGroup?: boolean;
};

type Launched = {
  readonly env: Environment;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly output: () => string;
};

/** As npm's scripts start it, from what was compiled before. */
export const passedOn = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: `${projectDir}node_modules/.cache/compile`,
};
const serviceCommand = [process.execPath, 'src/main.ts'] as const;
/** Connections that stay open would make the end of a service wait for what they may still send. */
const oneCall = { connection: 'close' };
const launchedHere: Launched[] = [];
const temporaryFolders: string[] = [];

/** Starts it and waits until it serves; without DATABASE_URL give it a DATA_DIR. */
export async function startServiceProcess(
  env: Environment,
  launch: Launch = {},
): Promise<ServiceProcess> {
  const port = env.PORT === undefined ? await findFreePort() : Number(env.PORT);
  const { child, output, exited } = launchService({ ...env, PORT: String(port) }, launch);
  const baseUrl = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  await waitUntil('the service is ready', async () => {
    if (hasEnded) throw new Error(`the service ended: ${output()}`);
    // A worker may serve before the first process has said what there is to say.
    return output().includes('is ready on') && (await isReady(baseUrl));
  });
  return {
    child,
    pid: child.pid ?? 0,
    baseUrl,
    port,
    output,
    exited,
    call: (path, call) =>
      callService(baseUrl, path, { ...call, headers: { ...oneCall, ...call?.headers } }),
    end: async (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a start that is expected to fail; resolves with the exit code and all it printed. */
export async function runFailingStart(
  env: Environment,
  launch: Launch = {},
): Promise<{ code: number | null; output: string }> {
  const port = env.PORT ?? String(await findFreePort());
  const { output, exited } = launchService({ ...env, PORT: port }, launch);
  let code: number | null | undefined;
  void exited.then((ended) => {
    code = ended;
  });
  await waitUntil('the start failed', () => {
    if (output().includes('is ready on')) throw new Error(`the start did not fail: ${output()}`);
    return code !== undefined;
  });
  return { code: await exited, output: output() };
}

/** Starts it without waiting for anything. */
export function launchService(env: Environment, launch: Launch = {}): Launched {
  const [program, ...words] = launch.command ?? serviceCommand;
  const child = spawn(program, words, {
    cwd: launch.cwd ?? projectDir,
    env: { ...passedOn, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: launch.ownGroup ?? false,
    ...launch.user,
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const launched = { env, child, exited, output: () => chunks.join('') };
  launchedHere.push(launched);
  const endsWithItsFolder = temporaryFolders.some((folder) => isWithin(folder, env));
  if (!endsWithItsFolder) after(() => endLaunched(launched));
  return launched;
}

/**
 * A folder that is gone after the test, or after the file, with the services that run on it. Others may pass it,
 * as the user of the database server must when the tests run as root.
 */
export async function createTemporaryFolder(mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pos-folder-'));
  await chmod(folder, mode);
  temporaryFolders.push(folder);
  after(async () => {
    const users = launchedHere.filter(({ env }) => isWithin(folder, env));
    await Promise.all(users.map(endLaunched));
    await endDatabaseServersOf(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The process id of the embedded database server, as it wrote it down itself. */
export async function readServerPid(dataDir: string): Promise<number> {
  const text = await readFile(join(await findDatabaseFolder(dataDir), 'postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

/** False also for a zombie: it runs no longer, only nobody has collected it. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((process) => process.pid === pid && !process.isZombie);
}

export async function listChildren(parent: number): Promise<ProcessEntry[]> {
  const processes = await listProcesses();
  return processes.filter((process) => process.parent === parent && !process.isZombie);
}

/** Looks every few milliseconds until it is so; a deadline turns a hang into a failure. */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  secondsMax = 30,
): Promise<void> {
  const deadline = performance.now() + secondsMax * 1000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(20);
  }
}

function isWithin(folder: string, env: Environment): boolean {
  return env.DATA_DIR?.startsWith(folder) ?? false;
}

/** SIGTERM, so that an embedded database ends with its service. */
async function endLaunched({ child, exited }: Launched): Promise<void> {
  child.kill('SIGTERM');
  await exited;
}

/** For tests that failed halfway: a server whose service was killed would stay for ever. */
async function endDatabaseServersOf(folder: string): Promise<void> {
  for (const { pid, command } of await listProcesses()) {
    if (command.includes(`-D\0${folder}`) || command.includes(`-D ${folder}`)) {
      process.kill(pid, 'SIGKILL');
      await waitUntil('the server is gone', async () => !(await isRunning(pid)));
    }
  }
}

type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly isZombie: boolean;
  readonly command: string;
};

async function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc() : listByPs();
}

async function listByProc(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = pids.map(async (pid) => {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { pid: Number(pid), parent: Number(parent), isZombie: state === 'Z', command };
    } catch {
      // It ended while we looked.
      return undefined;
    }
  });
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}

async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const isZombie = state?.startsWith('Z') ?? false;
    return [{ pid: Number(pid), parent: Number(parent), isZombie, command }];
  });
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`, { headers: oneCall })).ok;
  } catch {
    return false;
  }
}
