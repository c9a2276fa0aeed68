/**
 * `npm run screenshots`: pictures of the pages that people see, taken from a running service. Without options it renews
 * those in docs/images; with `--every` it shows everything at both widths and in both schemes.
 */
import { join } from 'node:path';
import { readOptionsOrExit } from '../../simulator/program-options.ts';
import { launchBrowser } from '../harness/browser.ts';
import { projectDir } from '../harness/project.ts';
import { takeCheckout } from './checkout.ts';
import { takeDashboard } from './dashboard.ts';

const subjects = { checkout: takeCheckout, dashboard: takeDashboard };
const names = Object.keys(subjects);

const values = readOptionsOrExit({
  call: 'npm run screenshots',
  description:
    'Starts a service with a database of its own, the simulator and a browser, and takes pictures of the checkout page and of the dashboard of a shop that is filled first.',
  options: {
    every: {
      value: 'FOLDER',
      text: 'Write every state and page at both widths, in both schemes, and of the checkout in both languages, into this folder, instead of a few into docs/images.',
    },
    only: {
      value: 'NAME',
      text: `Only ${names.join(' or only ')}.`,
      findFault: (name) => (names.includes(name) ? undefined : `must be ${names.join(' or ')}`),
    },
  },
  examples: ['', '--every /tmp/screenshots', '--only dashboard --every /tmp/screenshots'],
});

const target = values.every ?? join(projectDir, 'docs/images');
const browser = await launchBrowser();
try {
  for (const [name, take] of Object.entries(subjects)) {
    if (values.only !== undefined && values.only !== name) continue;
    await take(browser, target, { isEvery: values.every !== undefined });
  }
} finally {
  await browser.close();
}
