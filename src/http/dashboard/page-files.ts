/** The files of the dashboard. Their path names their content, so browsers never mix two versions. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { createStaticFile, type StaticFile } from '../static-file.ts';

export type PageFiles = {
  readonly version: string;
  /** By their path below the version. */
  readonly files: ReadonlyMap<string, StaticFile>;
};

/** A name that our modules import, the path that it stands for, and the file of the package for browsers. */
const packages = {
  preact: ['packages/preact.js', 'preact', 'dist/preact.mjs'],
  'preact/hooks': ['packages/preact-hooks.js', 'preact', 'hooks/dist/hooks.mjs'],
  '@preact/signals': ['packages/signals.js', '@preact/signals', 'dist/signals.mjs'],
  '@preact/signals-core': [
    'packages/signals-core.js',
    '@preact/signals-core',
    'dist/signals-core.mjs',
  ],
  htm: ['packages/htm.js', 'htm', 'dist/htm.mjs'],
  // The module is three times as large, because it is not minified.
  uplot: ['packages/uplot.js', 'uplot', 'dist/uPlot.iife.min.js'],
} as const;

export const packageModules: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packages).map(([name, [path]]) => [name, path]),
);

/**
 * What stands around a file that is no module. The charts read the language of the navigator, which is not always a tag
 * that Intl accepts; without one, Intl uses that of the browser, as our own modules do.
 */
const around: Readonly<Record<string, readonly [string, string]>> = {
  uplot: ['const navigator = {};\n', 'export default uPlot;\n'],
};

/** Loaded with the first chart. */
const packageStyles = { 'packages/uplot.css': ['uplot', 'dist/uPlot.min.css'] } as const;

const ownFolder = new URL('../../../dashboard/', import.meta.url).pathname;
const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

export async function loadPageFiles(): Promise<PageFiles> {
  const texts = new Map([...(await readOwn()), ...(await readPackages())]);
  const files = await Promise.all(
    [...texts].map(async ([path, text]) => [path, await toStaticFile(path, text)] as const),
  );
  const digest = createHash('sha256');
  for (const [path, text] of texts) digest.update(`${path}\n${text}\n`);
  return { version: digest.digest('hex').slice(0, 16), files: new Map(files) };
}

async function readOwn(): Promise<[string, string][]> {
  const names = await readdir(ownFolder, { recursive: true });
  const found: [string, string][] = [];
  for (const path of names.filter((name) => /\.(js|css)$/.test(name)).toSorted()) {
    found.push([path, await readFile(join(ownFolder, path), 'utf8')]);
  }
  return found;
}

async function readPackages(): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const [name, [path, owner, file]] of Object.entries(packages)) {
    const text = withoutSourceMap(await readPackageFile(owner, file));
    const [before, after] = around[name] ?? ['', ''];
    found.push([path, before + text + after]);
  }
  for (const [target, [owner, file]] of Object.entries(packageStyles)) {
    found.push([target, await readPackageFile(owner, file)]);
  }
  return found;
}

/** The maps of packages are not served. */
function withoutSourceMap(text: string): string {
  return text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

const require = createRequire(import.meta.url);

/** Packages hide files that they do not export, so the file is found beside one that is. */
async function readPackageFile(name: string, file: string): Promise<string> {
  const entry = require.resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`));
  return readFile(join(folder, 'node_modules', name, file), 'utf8');
}

function toStaticFile(path: string, text: string): Promise<StaticFile> {
  return createStaticFile(path.endsWith('.css') ? types.css : types.js, text);
}

/** The files that a module imports before it runs. */
export function listImports(path: string, text: string): string[] {
  const names = [...text.matchAll(/\bfrom\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => name);
  return names.map((name) => packageModules[name] ?? posix.join(dirname(path), name));
}
