/**
 * Starts and ends the database server through a small shell process that runs as the server's user. The service
 * may have become another user by then, who can neither start nor signal processes of that one, but it holds the
 * shell's standard input. When that ends, the service is gone, and the shell ends the server.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Programs, serverWords, socketFiles } from './postgres-process.ts';
import type { ServerUser } from './server-user.ts';

export type Server = {
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly signal: (name: Signal) => void;
  /** What it last said, to explain why it ended. */
  readonly lastWords: () => string;
};

export type Signal = 'INT' | 'QUIT';

export type Keeper = {
  readonly start: () => Promise<Server>;
  readonly signal: (name: Signal, pid: number) => void;
  /** Ends the shell, and a server that still runs. */
  readonly close: () => void;
  /** True when the shell itself was killed. */
  readonly isGone: () => boolean;
};

/** Server and shell write to one pipe, so that nothing the server said comes after the word of its end. */
const script = `
exec 2>&1
pid_file=$1 socket=$2
shift 2
while read -r word pid; do
  case $word in
  start)
    # What a killed server left would make the next one believe that it still runs.
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
  place: { readonly directory: string; readonly socketDir: string; readonly socketMode: string },
  log: (line: string) => void,
): Keeper {
  const pidFile = join(place.directory, 'postmaster.pid');
  const [socket] = socketFiles(place.socketDir);
  const command = [programs.postgres, ...serverWords(place)];
  const shell = spawn('sh', ['-c', script, 'database-keeper', pidFile, socket, ...command], {
    // Its own process group: Ctrl-C is for the service, which ends the server after itself.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore'],
    ...user.ids,
  });
  let lines: string[] = [];
  let started = Promise.withResolvers<number>();
  let ended = Promise.withResolvers<void>();
  let isGone = false;
  const onGone = (why: string) => {
    isGone = true;
    lines.push(why);
    started.reject(new Error(why));
    ended.resolve();
  };
  shell.stdin.on('error', () => {});
  shell.on('error', (error) => onGone(error.message));
  shell.on('exit', () => onGone('the process that looks after the database server has ended'));
  started.promise.catch(() => {});
  createInterface({ input: shell.stdout }).on('line', (line) => {
    const [, word, pid] = /^keeper: (started|ended) (\d+)$/.exec(line) ?? [];
    if (word === 'started') started.resolve(Number(pid));
    else if (word === 'ended') ended.resolve();
    else {
      lines = [...lines.slice(-49), line.trim()];
      if (isNews(line)) log(line);
    }
  });
  const signal = (name: Signal, pid: number) => {
    shell.stdin.write(`${name} ${pid}\n`);
  };
  return {
    signal,
    isGone: () => isGone,
    close: () => shell.stdin.end(),
    start: async () => {
      if (isGone) throw new Error(lines.at(-1));
      lines = [];
      started = Promise.withResolvers();
      ended = Promise.withResolvers();
      shell.stdin.write('start\n');
      const pid = await started.promise;
      return {
        ended: ended.promise,
        signal: (name) => signal(name, pid),
        lastWords: () => lines.join(' '),
      };
    },
  };
}

function isNews(line: string): boolean {
  return !/the database system is (starting|shutting|in recovery|not yet)/.test(line);
}
