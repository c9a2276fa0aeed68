/**
 * Which test files share a process. Starting a process takes about a second of CPU, longer than most files run. Files
 * that change or measure the state of their process, or break its database connections, run alone.
 */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suite } from 'node:test';

const root = new URL('../../', import.meta.url).pathname;

/**
 * Each file that runs others in its process, and the files that it runs. Files that start a service are at most about
 * twenty per process, because all of them are set up before the first test runs.
 */
const shared: Readonly<Record<string, { files: string; except?: readonly string[] }>> = {
  'test/together.ts': { files: 'test/*.test.ts' },
  'test/api/together.ts': { files: 'test/api/*.test.ts' },
  'test/api/checkout-together.ts': {
    files: 'test/api/{callback,checkout,list-of-banks,logo,payment-modes,return}/*.test.ts',
  },
  'test/api/dashboard/together.ts': { files: 'test/api/dashboard/*.test.ts' },
  'test/api/orders-together.ts': {
    files: 'test/api/{get-order,payment-link,resolve-user,update-order}/*.test.ts',
  },
  'test/api/tokens-together.ts': {
    files: 'test/api/{encrypted,generate-token,refresh-token}/*.test.ts',
  },
  'test/api/create-order/together.ts': { files: 'test/api/create-order/*.test.ts' },
  'test/api/initiate-payment/together.ts': { files: 'test/api/initiate-payment/*.test.ts' },
  'test/api/operator/together.ts': { files: 'test/api/operator/*.test.ts' },
  'test/api/refund/together.ts': { files: 'test/api/refund/*.test.ts' },
  'test/api/transaction-enquiry/together.ts': { files: 'test/api/transaction-enquiry/*.test.ts' },
  'test/api/webhooks/together.ts': { files: 'test/api/webhooks/*.test.ts' },
  'test/browser/together.ts': { files: 'test/browser/*.test.ts' },
  'test/cli/together.ts': { files: 'test/cli/*.test.ts' },
  'test/client/together.ts': { files: 'test/client/*.test.ts' },
  'test/domain/together.ts': { files: 'test/domain/*.test.ts' },
  'test/events/together.ts': { files: 'test/events/*.test.ts' },
  'test/figures/together.ts': { files: 'test/figures/*.test.ts' },
  'test/http/together.ts': { files: 'test/http/*.test.ts' },
  'test/journey/together.ts': { files: 'test/journey/*.test.ts' },
  'test/openapi/together.ts': { files: 'test/openapi/*.test.ts' },
  'test/providers/together.ts': { files: 'test/providers/*.test.ts' },
  'test/security/together.ts': { files: 'test/security/*.test.ts' },
  'test/slow/browser/together.ts': { files: 'test/slow/browser/*.test.ts' },
  'test/simulator/together.ts': { files: 'test/simulator/*.test.ts' },
  'test/store/together.ts': { files: 'test/store/*.test.ts', except: ['database', 'first-plans'] },
};

/** The files that a file runs in its process. */
export function filesOf(together: string): string[] {
  const entry = shared[together];
  if (entry === undefined) throw new Error(`${together} is not in the table of ${import.meta.url}`);
  const { files, except = [] } = entry;
  return globSync(files, { cwd: root })
    .filter((file) => !except.some((name) => file.endsWith(`/${name}.test.ts`)))
    .sort();
}

/** The files to start in order to run these: files that share a process are replaced by the file that runs them all. */
export function groupFiles(wanted: readonly string[]): string[] {
  const grouped = Object.keys(shared).filter((together) =>
    filesOf(together).every((file) => wanted.includes(file)),
  );
  const covered = grouped.flatMap(filesOf);
  return [...grouped, ...wanted.filter((file) => !covered.includes(file))];
}

/** Called with its own path by a file that runs others. */
export function runTogether(path: string): void {
  let previous: Promise<unknown> = Promise.resolve();
  for (const file of filesOf(relative(root, path))) {
    suite(file, async () => {
      // Suites are set up concurrently, which would create many databases at the same time.
      const own = previous.then(() => import(join(root, file)));
      previous = own.catch(() => {});
      await own;
    });
  }
}
