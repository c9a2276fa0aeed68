/**
 * `npm run prove:deploy [-- NAME…]`: what is shipped for other programs, run with these programs where they are installed.
 * Prints a line for each, and exits with 1 if one did not work. docs/deploy.md has the results.
 */
import { findProgram } from '../harness/find-program.ts';
import { provePodman } from './podman.ts';
import { run } from './run.ts';
import { proveSystemd } from './systemd.ts';

type Proof = {
  readonly needs: readonly string[];
  readonly needsRoot?: boolean;
  /** Resolves with what was seen, and rejects with what went wrong. */
  readonly prove: () => Promise<string>;
};

const proofs: Readonly<Record<string, Proof>> = {
  promtool: {
    needs: ['promtool'],
    prove: async () => (await run(['promtool', 'check', 'rules', 'ops/alerts.yml'])).trim(),
  },
  nginx: { needs: ['nginx'], prove: () => runTests('test/slow/deploy/nginx.test.ts') },
  haproxy: { needs: ['haproxy'], prove: () => runTests('test/slow/deploy/proxy.test.ts') },
  systemd: { needs: ['systemd-nspawn', 'nsenter'], needsRoot: true, prove: proveSystemd },
  podman: {
    needs: ['podman', 'podman-compose', 'docker-compose', 'debootstrap'],
    needsRoot: true,
    prove: provePodman,
  },
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(proofs);
const unknown = names.filter((name) => !(name in proofs));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(' or ')}: choose from ${Object.keys(proofs).join(', ')}.`,
  );
  process.exit(1);
}
for (const name of names) {
  const proof = proofs[name];
  if (proof) console.log(`${name}: ${await outcomeOf(proof)}`);
}

async function outcomeOf({ needs, needsRoot, prove }: Proof): Promise<string> {
  const missing = needs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return `skipped: ${missing.join(', ')} is not installed`;
  if (needsRoot && process.getuid?.() !== 0) return 'skipped: needs root';
  try {
    return `proven: ${await prove()}`;
  } catch (error) {
    process.exitCode = 1;
    return `failed: ${(error as Error).message}`;
  }
}

async function runTests(file: string): Promise<string> {
  const output = await run([process.execPath, 'test/run.ts', file]);
  return output
    .replaceAll(/^(?!✔).*\n?/gm, '')
    .replaceAll(/ \([\d.]+ms\)$/gm, '')
    .trim();
}
