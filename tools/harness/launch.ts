/** Starts a program as a child process, captures what it prints and ends it by its process id. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { baseEnv, type Environment, projectDir } from './project.ts';

export type LaunchOptions = {
  /** The user to run as; default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Default: the folder of the project. */
  readonly cwd?: string;
  /** Puts it into a process group of its own, as a terminal does. */
  readonly ownGroup?: boolean;
  /** Passes its standard error on to ours instead of capturing it. */
  readonly showErrors?: boolean;
};

export type Launched = ReturnType<typeof launch>;

export function launch(
  [program, ...words]: readonly [string, ...string[]],
  env: Environment,
  { user, cwd = projectDir, ownGroup = false, showErrors = false }: LaunchOptions = {},
) {
  const child = spawn(program, words, {
    cwd,
    env: { ...baseEnv, ...env },
    stdio: ['ignore', 'pipe', showErrors ? 'inherit' : 'pipe'],
    detached: ownGroup,
    ...user,
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  }
  // "close" and not "exit": only then has all that it printed arrived.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  let isOver = false;
  const setOver = () => {
    isOver = true;
  };
  exited.then(setOver, setOver);
  return {
    child,
    pid: child.pid ?? 0,
    /** Everything captured so far. */
    output: () => chunks.join(''),
    /** Resolves with the exit code when it has ended, null when a signal ended it. */
    exited,
    hasExited: () => isOver,
    /** Sends the signal and resolves like `exited`. */
    end: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** For loops that wait for a program: one that has ended will never do what they wait for. */
export async function assertRunning({ output, exited, hasExited }: Launched): Promise<void> {
  if (!hasExited()) return;
  // One that could not be started at all rejects with the reason.
  const code = await exited;
  throw new Error(`the process ended with ${code}: ${output()}`);
}
