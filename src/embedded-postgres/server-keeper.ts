/**
 * The keeper: a small shell process that runs as the server's user and starts and ends the database server. The service
 * itself may have become another user, who cannot signal the server, so it sends commands to the keeper's standard input.
 * When that input closes, the service is gone, and the keeper ends the server.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  childOptions,
  type Programs,
  type ServerPaths,
  serverArguments,
  socketFiles,
} from './postgres-process.ts';
import type { ServerUser } from './server-user.ts';

export type Keeper = ReturnType<typeof launchKeeper>;
export type Server = Awaited<ReturnType<Keeper['start']>>;

type Signal = 'INT' | 'QUIT';

/** Server and keeper write to one pipe, so that all output of the server is read before the message that it ended. */
const script = `
exec 2>&1
pid_file=$1 socket=$2
shift 2
while read -r word pid; do
  case $word in
  start)
    # Files of a killed server would make the next one believe that it still runs.
    rm -f "$pid_file" "$socket" "$socket.lock"
    ("$@" </dev/null & echo "keeper: started $!"; wait $!; echo "keeper: ended $!") &
    ;;
  *) kill -s "$word" "$pid" 2>/dev/null ;;
  esac
done
{ read -r pid <"$pid_file" && kill -s INT "$pid"; } 2>/dev/null
`;

export function launchKeeper(
  programs: Programs,
  user: ServerUser,
  paths: ServerPaths,
  log: (line: string) => void,
) {
  const pidFile = join(paths.directory, 'postmaster.pid');
  const [socket] = socketFiles(paths.socketDir);
  const command = [programs.postgres, ...serverArguments(paths)];
  const shell = spawn('sh', ['-c', script, 'database-keeper', pidFile, socket, ...command], {
    ...childOptions(user),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let lines: string[] = [];
  let started = Promise.withResolvers<number>();
  let ended = Promise.withResolvers<void>();
  let isGone = false;
  const onGone = (reason: string) => {
    isGone = true;
    lines.push(reason);
    started.reject(new Error(reason));
    ended.resolve();
  };
  shell.stdin.on('error', () => {});
  shell.on('error', (error) => onGone(error.message));
  shell.on('exit', () => onGone('the keeper process of the database server has ended'));
  started.promise.catch(() => {});
  createInterface({ input: shell.stdout }).on('line', (line) => {
    const [, word, pid] = /^keeper: (started|ended) (\d+)$/.exec(line) ?? [];
    if (word === 'started') started.resolve(Number(pid));
    else if (word === 'ended') ended.resolve();
    else {
      lines = [...lines.slice(-49), line.trim()];
      if (isWorthLogging(line)) log(line);
    }
  });
  const signal = (name: Signal, pid: number) => void shell.stdin.write(`${name} ${pid}\n`);
  return {
    signal,
    isGone: () => isGone,
    /** Ends the keeper, and the server if it still runs. */
    close: () => void shell.stdin.end(),
    start: async () => {
      if (isGone) throw new Error(lines.at(-1));
      lines = [];
      started = Promise.withResolvers();
      ended = Promise.withResolvers();
      shell.stdin.write('start\n');
      const pid = await started.promise;
      return {
        /** Resolves when the process has ended, for whatever reason. */
        ended: ended.promise,
        signal: (name: Signal) => signal(name, pid),
        /** The last lines of its output, to explain why it ended. */
        recentOutput: () => lines.join(' '),
      };
    },
  };
}

/** Every start and shutdown prints these lines. */
function isWorthLogging(line: string): boolean {
  return !/the database system is (starting|shutting|in recovery|not yet)|terminating connection due to administrator command/.test(
    line,
  );
}
