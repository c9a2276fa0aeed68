/** A shell that keeps its variables and background jobs between commands, as a terminal does. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectDir } from '../../tools/harness/project.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

export type Shell = ReturnType<typeof openShell>;

/** What the commands print goes to files in `folder`, apart from what they leave running prints later. */
export function openShell(folder: string, env: NodeJS.ProcessEnv) {
  const child = spawn('bash', ['--norc', '--noprofile'], {
    cwd: projectDir,
    env,
    // A process group of its own, so that all of it can be ended.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const codes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let count = 0;
  return {
    /** Runs lines as if they were pasted. */
    run: async (text: string) => {
      count += 1;
      const [output, errors] = ['out', 'err'].map((name) => join(folder, `${count}.${name}`)) as [
        string,
        string,
      ];
      child.stdin.write(`{\n${text}\n} > '${output}' 2> '${errors}' < /dev/null\necho $?\n`);
      const { value } = await codes.next();
      return {
        code: Number(value),
        output: await readFile(output, 'utf8'),
        errors: await readFile(errors, 'utf8'),
      };
    },
    /** Ends the shell and everything it started. */
    end: async () => {
      const group = -(child.pid ?? 0);
      process.kill(group, 'SIGTERM');
      await waitUntil('everything that the shell started has ended', () => !isThere(group));
    },
  };
}

function isThere(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}
