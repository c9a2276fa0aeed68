/**
 * The packages that run, as CycloneDX. `npm sbom --omit dev` leaves out those that development uses as well, such as
 * `pg-protocol`, so npm lists all packages, and the lock file says which of them are for development only.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../harness/command-line.ts';
import { projectDir } from '../harness/project.ts';

type BillOfMaterials = {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: ReadonlyArray<{
    readonly ref: string;
    readonly dependsOn: readonly string[];
  }>;
};

type Component = {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: ReadonlyArray<{ readonly content: string }>;
};

type Locked = { readonly version?: string; readonly dev?: boolean; readonly link?: boolean };

const command = ['npm', 'sbom', '--sbom-format=cyclonedx', '--package-lock-only'] as const;

export async function createBillOfMaterials(): Promise<BillOfMaterials> {
  const { code, stdout, stderr } = await runProgram(command, {});
  if (code !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const all = JSON.parse(stdout) as BillOfMaterials;
  const { name } = await readJson('package.json');
  const runs = await listRunning();
  const components = all.components.filter((one) => runs.has(`${one.name}@${one.version}`));
  // npm takes the name of the folder, and calls every project a library.
  const component = { ...all.metadata.component, name: String(name), type: 'application' };
  const refs = new Set([component, ...components].map((one) => one['bom-ref']));
  return {
    ...all,
    metadata: { ...all.metadata, component },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

/** For every platform, as `name@version`. Packages of a workspace are not in the folder of the project. */
async function listRunning(): Promise<ReadonlySet<string>> {
  const { packages } = await readJson('package-lock.json');
  const entries = Object.entries(packages as Record<string, Locked>).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  const nameOf = (path: string) => path.split('node_modules/').at(-1);
  return new Set(entries.map(([path, { version }]) => `${nameOf(path)}@${version}`));
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(projectDir, file), 'utf8'));
}
