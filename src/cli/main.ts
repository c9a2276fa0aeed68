/** The operator's command line as a process: arguments, environment and output are those of the process. */
import { usualColumns } from './framework/screen.ts';
import { runCommandLine } from './run.ts';

const { stdout } = process;

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print: console.log,
  printError: console.error,
  // A pseudo-terminal that nobody has resized may have no width.
  columns: stdout.isTTY ? stdout.columns || usualColumns : undefined,
});
