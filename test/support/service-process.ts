/** Services as processes of their own, for tests: each is ended after the test or the file that started it. */
import { after } from 'node:test';
import { findFreePort } from '../../tools/harness/free-port.ts';
import type { Launched } from '../../tools/harness/launch.ts';
import { isRunning, listProcesses } from '../../tools/harness/processes.ts';
import type { Environment } from '../../tools/harness/project.ts';
import {
  launchService as launch,
  readyMessage,
  type Service,
  type ServiceOptions,
  startService,
  withoutKeepAlive,
} from '../../tools/harness/service.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { type Call, callService, type Reply } from './test-service.ts';

export type ServiceProcess = Service & {
  readonly call: (path: string, call?: Call) => Promise<Reply>;
};

type Started = { readonly env: Environment; readonly launched: Launched };

const startedHere: Started[] = [];
const temporaryFolders: string[] = [];

/** Starts it and waits until it is ready; without DATABASE_URL give it a DATA_DIR. */
export async function startServiceProcess(
  env: Environment,
  options: ServiceOptions = {},
): Promise<ServiceProcess> {
  const onLaunched = (launched: Launched) => endAfterwards({ env, launched });
  const service = await startService(env, { ...options, onLaunched });
  return {
    ...service,
    call: (path, call) =>
      callService(service.baseUrl, path, {
        ...call,
        headers: { ...withoutKeepAlive, ...call?.headers },
      }),
  };
}

/** Runs a start that is expected to fail; resolves with the exit code and all it printed. */
export async function runFailingStart(
  env: Environment,
  options: ServiceOptions = {},
): Promise<{ code: number | null; output: string }> {
  const port = env.PORT ?? String(await findFreePort());
  const { output, exited, hasExited } = launchService({ ...env, PORT: port }, options);
  await waitUntil('the start failed', () => {
    if (output().includes(readyMessage)) throw new Error(`the start did not fail: ${output()}`);
    return hasExited();
  });
  return { code: await exited, output: output() };
}

/** Starts it without waiting for anything. */
export function launchService(env: Environment, options: ServiceOptions = {}): Launched {
  const launched = launch(env, options);
  endAfterwards({ env, launched });
  return launched;
}

/**
 * A folder that is removed after the test, or after the file, once the services that use it have ended. Others
 * may pass through it: when the tests run as root, the database server runs as another user.
 */
export async function createTemporaryFolder(mode = 0o711): Promise<string> {
  const { path, remove } = await makeTemporaryFolder('pos-folder-', mode);
  temporaryFolders.push(path);
  after(async () => {
    await Promise.all(startedHere.filter((started) => usesFolder(started, path)).map(end));
    await killDatabaseServersOf(path);
    await remove();
  });
  return path;
}

function endAfterwards(started: Started): void {
  startedHere.push(started);
  const endsWithItsFolder = temporaryFolders.some((folder) => usesFolder(started, folder));
  if (!endsWithItsFolder) after(() => end(started));
}

function usesFolder({ env }: Started, folder: string): boolean {
  return env.DATA_DIR?.startsWith(folder) ?? false;
}

/** By SIGTERM, so that an embedded database ends with its service. */
async function end({ launched }: Started): Promise<void> {
  await launched.end('SIGTERM');
}

/** It may have ended since it was listed. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** After a test that failed halfway: the server of a killed service would never end. */
async function killDatabaseServersOf(folder: string): Promise<void> {
  for (const { pid, command } of await listProcesses()) {
    if (command.includes(`-D\0${folder}`) || command.includes(`-D ${folder}`)) {
      killIfRunning(pid);
      await waitUntil('the server is gone', async () => !(await isRunning(pid)));
    }
  }
}
