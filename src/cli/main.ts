/** The operator's command line as a process: arguments, environment and output are those of the process. */
import { runCommandLine } from './run.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print: console.log,
  printError: console.error,
});
