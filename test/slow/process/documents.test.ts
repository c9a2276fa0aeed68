/** Runs the commands of the documents, in order and as they are written, and compares the answers with those shown. */
import assert from 'node:assert/strict';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { projectDir } from '../../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { isShown, listSteps, type Step, withoutIds } from '../../support/documented-steps.ts';
import { handbookActions } from '../../support/handbook-actions.ts';
import { openShell } from '../../support/shell.ts';
import { clusterAddress, openCluster } from '../../support/test-database.ts';

const folder = await makeTemporaryFolder('payment-order-service-documents-');
const dataDir = join(folder.path, 'data');
// The database may run as another user.
await chmod(folder.path, 0o755);
const ports = {
  tour: await findFreePort(),
  handbook: await findFreePort(),
  simulator: await findFreePort(),
  shop: await findFreePort(),
  receiver: await findFreePort(),
};

const packageJson = await readFile(join(projectDir, 'package.json'), 'utf8');
const { scripts: packageScripts } = JSON.parse(packageJson) as { scripts: { cli: string } };

const cluster = openCluster();
const common = { PATH: process.env.PATH, HOME: folder.path };
/** A merchant's engineer, with the embedded database. */
const tour = openTerminal(ports.tour, {
  ...common,
  PORT: String(ports.tour),
  DATA_DIR: dataDir,
  SIMULATOR_URL: `http://127.0.0.1:${ports.simulator}`,
  SHOP_PORT: String(ports.shop),
  WEBHOOK_PORT: String(ports.receiver),
});
/** An operator, with an external database. */
const handbook = openTerminal(ports.handbook, { ...common, PORT: String(ports.handbook) });
after(async () => {
  await Promise.all([tour.shell.end(), handbook.shell.end()]);
  await cluster.query({ text: 'drop database if exists payments with (force)' });
  await cluster.query({ text: 'drop role if exists payments' });
  await cluster.close();
  await folder.remove();
});

const documents = [
  { name: 'README.md', terminal: tour, skip: noBrowser },
  { name: 'docs/integrate.md', terminal: tour, skip: noBrowser },
  { name: 'docs/returning.md', terminal: tour, skip: noBrowser },
  { name: 'docs/operations.md', terminal: handbook, skip: false },
] as const;

for (const { name, terminal, skip } of documents) {
  test(`every command of ${name} gives the answer shown`, { skip }, async () => {
    const steps = listSteps(await readFile(join(projectDir, name), 'utf8'));
    assert.ok(steps.length > 0);
    for (const step of steps) await terminal.follow(step);
  });
}

test('no other document has commands to paste', async () => {
  const names = (await readdir(join(projectDir, 'docs'), { recursive: true })).filter((name) =>
    name.endsWith('.md'),
  );
  for (const name of names) {
    if (documents.some((document) => document.name === `docs/${name}`)) continue;
    const steps = listSteps(await readFile(join(projectDir, 'docs', name), 'utf8'));
    assert.deepEqual(steps, [], name);
  }
});

function openTerminal(port: number, env: NodeJS.ProcessEnv) {
  const shell = openShell(folder.path, env);
  const follow = async (step: Step): Promise<void> => {
    if (step.kind === 'sql') await runSql(step.text);
    else if (step.kind === 'by-hand') await actionOf(step.text)();
    else await runCommands(step);
  };
  const runCommands = async ({ text, answer }: Step & { readonly kind: 'run' }): Promise<void> => {
    const { code, output, errors } = await shell.run(adapted(text, port));
    assert.equal(code, 0, `${text}\n${output}${errors}`);
    if (!answer) return;
    const [shown, printed] = [withoutIds(answer.text), withoutIds(output)];
    const isSame =
      answer.language === 'json' ? isShown(JSON.parse(shown), parsed(printed)) : shown === printed;
    const explain = async () =>
      `${text}\nshown: ${shown}\nprinted: ${printed}\nin the background:\n${await readBackground()}`;
    assert.ok(isSame, isSame ? '' : await explain());
  };
  const get = async (variable: string): Promise<string> =>
    (await shell.run(`echo "$${variable}"`)).output.trim();
  return { shell, port, follow, get };
}

/** Run by tests of their own, which take longer. */
const testedElsewhere = /^npm (ci|test|run (check|demo)\b)/;

/** The ports, folders and database of this test instead of the usual ones. */
function adapted(text: string, port: number): string {
  const { host, port: databasePort } = clusterAddress();
  return (
    text
      .split('\n')
      .map((line) => (testedElsewhere.test(line) ? ':' : line))
      // What runs on in the background prints between the answers.
      .map((line) => line.replace(/ &$/, ` >> '${folder.path}/background.log' 2>&1 &`))
      .join('\n')
      // What npm would start, without its own start.
      .replaceAll('npm run --silent cli --', packageScripts.cli.replace(/^exec /, ''))
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8090', `127.0.0.1:${ports.simulator}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports.receiver}`)
      .replaceAll(/(?<=[ =])\.data\//g, `${dataDir}/`)
      .replaceAll('../shop', `${folder.path}/shop`)
      .replaceAll('logo.png', `${folder.path}/logo.png`)
      .replace(
        '@127.0.0.1:5432/payments',
        `@/payments'?host=${encodeURIComponent(host)}&port=${databasePort}'`,
      )
  );
}

/** The end of what the programs in the background have printed: an answer may be missing because one of them ended. */
async function readBackground(): Promise<string> {
  const printed = await readFile(join(folder.path, 'background.log'), 'utf8').catch(() => '');
  return printed.split('\n').slice(-20).join('\n');
}

async function runSql(text: string): Promise<void> {
  for (const statement of text.split(';\n')) {
    if (statement.trim() !== '') await cluster.query({ text: statement });
  }
}

function parsed(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}

/** What a reader does elsewhere than in the terminal, or what has happened before. */
const actions: Readonly<Record<string, () => Promise<void>>> = {
  'open CHECKOUT_URL and pay': payAtCheckout,
  'open the shop': async () => {
    await waitUntil('the shop is open', async () => {
      const reply = await fetch(`http://127.0.0.1:${ports.shop}`).catch(() => undefined);
      return (await reply?.text())?.includes('Buy tea') ?? false;
    });
  },
  'buy tea while the shop of the simulator receives events': buyTea,
  'wait for the receiver': async () => {
    await waitUntil('the receiver answers', async () => {
      const reply = await fetch(`http://127.0.0.1:${ports.receiver}`).catch(() => undefined);
      // It has no signature.
      return reply?.status === 400;
    });
  },
  ...handbookActions(handbook, join(folder.path, 'logo.png')),
};

function actionOf(text: string): () => Promise<void> {
  const action = actions[text];
  if (!action) throw new Error(`nobody knows how to: ${text}`);
  return action;
}

async function payAtCheckout(): Promise<void> {
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(await tour.get('CHECKOUT_URL'));
  await payByUpi(page);
}

/** Approves the payment in the app of the simulator, and comes back. */
async function payByUpi(page: Page): Promise<void> {
  await page.getByLabel('UPI').check();
  await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
  await page.getByRole('img', { name: 'QR code to pay ₹118.00 to Demo shop' }).waitFor();
  const checkoutUrl = page.url();
  await page.getByRole('link', { name: 'Open a UPI app' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Payment approved').waitFor();
  await page.goto(checkoutUrl);
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
}

async function buyTea(): Promise<void> {
  const browser = await openBrowser();
  const events = await browser.newPage();
  await events.goto(`http://127.0.0.1:${ports.simulator}/shop`);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${ports.shop}`);
  await page.getByRole('button', { name: 'Buy tea' }).click();
  await payByUpi(page);
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await page.getByText(/^INV-\S+ is paid\. Thank you!$/).waitFor();
  for (const type of ['test', 'payment_success', 'order_completed']) {
    const row = events.locator('.event', { hasText: type });
    await row.getByText('verified', { exact: true }).waitFor();
  }
}
