/** Polls a second against a stub provider: runs the benchmark of polls as it is and takes over what it prints. */
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../../../package.json' with { type: 'json' };
import { launch } from '../../harness/launch.ts';

const script = 'bench:polls';
const secondsMax = 900;
/** Its figures are at the end. */
const linesMax = 20;

export async function measurePolls(): Promise<string> {
  if (!(script in packageFile.scripts)) return `not measured, because there is no \`${script}\`.`;
  const polls = launch(['npm', 'run', '--silent', script], {}, { showErrors: true });
  const ending = new AbortController();
  const late = delay(secondsMax * 1_000, undefined, { signal: ending.signal });
  await Promise.race([polls.exited, late.then(() => polls.end('SIGTERM'))]);
  ending.abort();
  await late.catch(() => undefined);
  const code = await polls.exited;
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${polls.output()}`);
  const lines = polls.output().trim().split('\n').slice(-linesMax);
  return `\`npm run ${script}\` printed this; at least 500 polls a second are wanted.

\`\`\`text
${lines.join('\n')}
\`\`\``;
}
