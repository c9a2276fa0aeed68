/** Reads the Dockerfile, and carries out its steps in a folder instead of an image, so that the tests follow the file. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, link, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../tools/harness/project.ts';

export type Step = { readonly word: string; readonly rest: string };
export type Stage = {
  readonly name: string;
  readonly from: string;
  readonly steps: readonly Step[];
};
export type User = { readonly uid: number; readonly gid: number };

export async function readDockerfile(): Promise<Stage[]> {
  const text = await readFile(join(projectDir, 'Dockerfile'), 'utf8');
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  const steps = [...lines.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, word = '', rest = '']) => ({
    word,
    rest,
  }));
  const stages: { name: string; from: string; steps: Step[] }[] = [];
  // Arguments before the first stage are for the lines that begin stages.
  const defaults = new Map(
    steps
      .slice(
        0,
        steps.findIndex(({ word }) => word === 'FROM'),
      )
      .map(({ rest }) => rest.split(/=(.*)/s) as [string, string]),
  );
  for (const step of steps) {
    const [image = '', , name = 'final'] = step.rest.split(' ');
    const from = image.replace(
      /^\$\{(\w+)\}$/,
      (whole, argument) => defaults.get(argument) ?? whole,
    );
    if (step.word === 'FROM') stages.push({ name, from, steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

export function valuesOf(stage: Stage | undefined, word: string): string[] {
  return (stage?.steps ?? []).filter((step) => step.word === word).map(({ rest }) => rest);
}

export function readEnv(stage: Stage | undefined): Record<string, string> {
  const pairs = valuesOf(stage, 'ENV').flatMap((rest) => rest.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
}

/** The words of the exec form; the shell form would not pass signals on. */
export function readCommand(stage: Stage | undefined, word: string): [string, ...string[]] {
  const [rest = ''] = valuesOf(stage, word);
  return JSON.parse(rest.slice(rest.indexOf('[')));
}

export type Image = {
  /** The path in the folder for a path in the image. */
  readonly pathOf: (path: string) => string;
  readonly env: Readonly<Record<string, string>>;
};

/** Every folder of a stage is below `root`; `user` takes the place of the user of the image. */
export async function buildImage(root: string, user: User | undefined): Promise<Image> {
  const stages = await readDockerfile();
  const rootOf = (stage: string) => join(root, stage);
  const node = join(root, 'bin', 'node');
  await mkdir(dirname(node));
  await linkOrCopy(process.execPath, node);
  for (const stage of stages) await carryOut(stage, rootOf, dirname(node), user);
  const pathOf = (path: string) => join(rootOf('final'), path);
  const env = Object.entries(readEnv(stages.at(-1))).map(([name, value]) => [
    name,
    value.startsWith('/') ? pathOf(value) : value,
  ]);
  return { pathOf, env: { ...Object.fromEntries(env), PATH: `${dirname(node)}:/usr/bin:/bin` } };
}

async function carryOut(
  stage: Stage,
  rootOf: (stage: string) => string,
  binDir: string,
  user: User | undefined,
): Promise<void> {
  const root = rootOf(stage.name);
  let folder = root;
  let runsAs: User | undefined;
  await mkdir(root);
  for (const { word, rest } of stage.steps) {
    if (word === 'WORKDIR') {
      folder = join(root, rest);
      await mkdir(folder, { recursive: true });
    } else if (word === 'COPY') await copy(rest, folder, rootOf);
    else if (word === 'USER') runsAs = user;
    else if (word === 'RUN' && rest.startsWith('npm ci')) await installLinked(folder);
    else if (word === 'RUN' && rest.startsWith('groupadd')) await makeFolders(rest, root, user);
    else if (word === 'RUN') {
      // It runs on this machine, possibly as root.
      if (/(?<=[\s'"=])\/(?!app\/)/.test(rest)) throw new Error(`not carried out here: ${rest}`);
      const env = { PATH: `${binDir}:/usr/bin:/bin`, ...imageEnv(stage, root) };
      const command = rest.replaceAll(/(?<=['"\s])\/app\//g, `${join(root, 'app')}/`);
      await promisify(execFile)('sh', ['-c', command], { cwd: folder, env, ...runsAs });
    }
  }
}

function imageEnv(stage: Stage, root: string): Record<string, string> {
  const { NODE_COMPILE_CACHE: cache } = readEnv(stage);
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: join(root, cache) };
}

async function copy(
  rest: string,
  folder: string,
  rootOf: (stage: string) => string,
): Promise<void> {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  for (const source of words) {
    const path = from === undefined ? join(projectDir, source) : join(rootOf(from), source);
    const isInside = target.endsWith('/');
    await linkTree(path, isInside ? join(folder, target, basename(source)) : join(folder, target));
  }
}

/** Users are not created here, and so their folders belong to the user of the test. */
async function makeFolders(rest: string, root: string, user: User | undefined): Promise<void> {
  for (const [, mode = '', path = ''] of rest.matchAll(/install -d .*?-m (\d+) (\S+)/g)) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), Number.parseInt(mode, 8));
    if (user) await chown(join(root, path), user.uid, user.gid);
  }
}

type Locked = { readonly dev?: boolean; readonly devOptional?: boolean; readonly link?: boolean };

/** What `npm ci --omit=dev` would download is linked from the packages that are installed here. */
async function installLinked(folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  const packages = Object.entries(lock.packages as Record<string, Locked>).filter(
    ([path, { dev, link: isLink }]) => path.startsWith('node_modules/') && !dev && !isLink,
  );
  for (const [path] of packages) {
    if (existsSync(join(projectDir, path)))
      await linkTree(join(projectDir, path), join(folder, path));
  }
}

/** Packages within a package are installed by a line of their own. Symbolic links are made by an install script. */
async function linkTree(source: string, target: string): Promise<void> {
  const entries = await readdir(source, { withFileTypes: true }).catch(() => undefined);
  if (!entries) {
    await mkdir(dirname(target), { recursive: true });
    return linkOrCopy(source, target);
  }
  await mkdir(target, { recursive: true });
  for (const entry of entries) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await linkTree(from, to);
    else if (entry.isFile()) await linkOrCopy(from, to);
    else if (source.startsWith(projectDir)) continue;
    else await cp(from, to, { verbatimSymlinks: true });
  }
}

/** A link fails between file systems. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  await link(source, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    await cp(source, target);
  });
}
