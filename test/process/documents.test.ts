/** Runs the commands of the documents, in order and as they are written, and compares the answers with those shown. */
import assert from 'node:assert/strict';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { isShown, listSteps, type Step, withoutIds } from '../support/documented-steps.ts';
import { openShell } from '../support/shell.ts';

const folder = await makeTemporaryFolder('payment-order-service-documents-');
const dataDir = join(folder.path, 'data');
// The database may run as another user.
await chmod(folder.path, 0o755);
const [port, simulatorPort] = [await findFreePort(), await findFreePort()];
const shell = openShell(folder.path, {
  PATH: process.env.PATH,
  HOME: folder.path,
  PORT: String(port),
  DATA_DIR: dataDir,
  SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
});
after(async () => {
  await shell.end();
  await folder.remove();
});

/** Run by tests of their own, which take longer. */
const testedElsewhere = /^npm (ci|test|install|run (check|demo)\b)/;

for (const document of ['README.md']) {
  test(`every command of ${document} gives the answer shown`, { skip: noBrowser }, async () => {
    const steps = listSteps(await readFile(join(projectDir, document), 'utf8'));
    assert.ok(steps.length > 3);
    for (const step of steps) {
      if (step.kind === 'by-hand') await pressPay();
      else await runStep(step);
    }
  });
}

async function runStep({ text, answer }: Step & { readonly kind: 'run' }): Promise<void> {
  const { code, output, errors } = await shell.run(adapted(text));
  assert.equal(code, 0, `${text}\n${output}${errors}`);
  if (!answer) return;
  const [shown, printed] = [withoutIds(answer.text), withoutIds(output)];
  const isSame =
    answer.language === 'json' ? isShown(JSON.parse(shown), parsed(printed)) : shown === printed;
  assert.ok(isSame, `${text}\nshown: ${shown}\nprinted: ${printed}`);
}

function parsed(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}

/** The ports and the data folder of this test instead of the usual ones. */
function adapted(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => (testedElsewhere.test(line) ? ':' : line))
      // What runs on in the background prints between the answers.
      .map((line) => line.replace(/ &$/, ` >> '${folder.path}/background.log' 2>&1 &`))
      .join('\n')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8090', `127.0.0.1:${simulatorPort}`)
      .replaceAll(' .data/', ` ${dataDir}/`)
  );
}

/** What a reader does in a browser. */
async function pressPay(): Promise<void> {
  const { output } = await shell.run('echo "$PAY_URL"');
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(output.trim());
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
}
