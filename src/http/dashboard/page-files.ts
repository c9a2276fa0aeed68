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

const ownFolder = new URL('../../../dashboard/', import.meta.url).pathname;

export async function loadPageFiles(): Promise<PageFiles> {
  const texts = new Map([...(await readOwn()), ...(await readPackages())]);
  const files = await Promise.all(
    [...texts].map(async ([path, text]) => {
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      return [path, await createStaticFile(`${type}; charset=utf-8`, text)] as const;
    }),
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
    const text = await readPackageFile(owner, file);
    // The maps of packages are not served.
    const withoutMap = text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
    found.push([path, name === 'uplot' ? moduleOfCharts(withoutMap) : withoutMap]);
  }
  // Loaded with the first chart.
  found.push(['packages/uplot.css', await readPackageFile('uplot', 'dist/uPlot.min.css')]);
  return found;
}

/**
 * The file of the charts is no module. They read the language of the navigator, which is not always a tag that Intl
 * accepts; without one, Intl uses that of the browser, as our own modules do.
 */
function moduleOfCharts(text: string): string {
  return `const navigator = {};\n${text}export default uPlot;\n`;
}

const require = createRequire(import.meta.url);

/** Packages hide files that they do not export, so the file is found beside one that is. */
async function readPackageFile(name: string, file: string): Promise<string> {
  const entry = require.resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`));
  return readFile(join(folder, 'node_modules', name, file), 'utf8');
}

/** The files that a module imports before it runs. */
export function listImports(path: string, text: string): string[] {
  const names = [...text.matchAll(/\bfrom\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => name);
  return names.map((name) => packageModules[name] ?? posix.join(dirname(path), name));
}
