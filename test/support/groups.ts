/**
 * Which test files share a process. Starting a process takes about a second of CPU, longer than most files run. Files
 * that change or measure the state of their process, or break its database connections, run alone.
 */
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'node:test';

const root = new URL('../../', import.meta.url).pathname;
// Not in node_modules, where Node runs no tests.
const folder = 'test/.groups';

/**
 * The files of each process. Files that start a service are at most about twenty per process, because all of them are
 * set up before the first test runs.
 */
const groups: Readonly<Record<string, { files: string; except?: readonly string[] }>> = {
  project: { files: 'test/*.test.ts' },
  api: { files: 'test/api/*.test.ts' },
  'api-checkout': {
    files: 'test/api/{callback,checkout,list-of-banks,logo,payment-modes,return}/*.test.ts',
  },
  'api-dashboard': { files: 'test/api/dashboard/*.test.ts' },
  'api-orders': { files: 'test/api/{get-order,payment-link,resolve-user,update-order}/*.test.ts' },
  'api-tokens': { files: 'test/api/{encrypted,generate-token,refresh-token}/*.test.ts' },
  'api-create-order': { files: 'test/api/create-order/*.test.ts' },
  'api-payments': { files: 'test/api/{initiate-payment,transaction-enquiry}/*.test.ts' },
  'api-operator': { files: 'test/api/operator/*.test.ts' },
  'api-refund': {
    files: 'test/api/{late-payments,refund}/*.test.ts',
    except: ['kept-statements'],
  },
  'api-webhooks': { files: 'test/api/webhooks/*.test.ts' },
  browser: { files: 'test/browser/*.test.ts' },
  cli: { files: 'test/cli/**/*.test.ts' },
  client: { files: 'test/client/*.test.ts' },
  domain: { files: 'test/domain/**/*.test.ts' },
  events: { files: 'test/events/*.test.ts' },
  figures: { files: 'test/figures/*.test.ts' },
  http: { files: 'test/http/*.test.ts' },
  journey: { files: 'test/journey/*.test.ts' },
  openapi: { files: 'test/openapi/*.test.ts' },
  postgres: {
    files:
      'test/postgres/{account-batch,batch,embedded,embedded-access,in-order,pool,rows}.test.ts',
  },
  providers: { files: 'test/providers/*.test.ts' },
  security: { files: 'test/security/*.test.ts' },
  services: { files: 'test/services/*.test.ts', except: ['event-loop', 'name-lookups'] },
  simulator: { files: 'test/simulator/*.test.ts' },
  'slow-browser': { files: 'test/slow/browser/*.test.ts' },
  store: { files: 'test/store/**/*.test.ts', except: ['first-plans'] },
};

export const groupNames = Object.keys(groups);

/** The files to start in order to run these: a group that is wanted as a whole is replaced by a file that runs it. */
export function groupFiles(wanted: readonly string[]): string[] {
  const whole = groupNames.filter((group) => filesOf(group).every((file) => wanted.includes(file)));
  const covered = whole.flatMap(filesOf);
  return [...whole.map(writeGroup), ...wanted.filter((file) => !covered.includes(file))];
}

/** Called by the file of a group. */
export function runGroup(group: string): void {
  let previous: Promise<unknown> = Promise.resolve();
  for (const file of filesOf(group)) {
    suite(file, async () => {
      // Suites are set up concurrently, which would create many databases at the same time.
      const own = previous.then(() => import(join(root, file)));
      previous = own.catch(() => {});
      await own;
    });
  }
}

export function filesOf(group: string): string[] {
  const { files, except = [] } = groups[group] ?? { files: '' };
  return globSync(files, { cwd: root })
    .filter((file) => !except.some((name) => file.endsWith(`/${name}.test.ts`)))
    .sort();
}

function writeGroup(group: string): string {
  const path = `${folder}/${group}.mjs`;
  const source = new URL(import.meta.url).pathname;
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(
    join(root, path),
    `import { runGroup } from ${JSON.stringify(source)};\n\nrunGroup('${group}');\n`,
  );
  return path;
}
