/**
 * `demo.env` in the data folder: the demo account as shell variables, so that documented commands can be pasted as they
 * are. See docs/decisions/0032-the-first-hour.md.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewAccount } from './use-cases/accounts/create-account.ts';

/** Returns the path of the file. Like the master key beside it, only its owner can read it. */
export async function writeDemoEnv(
  dataDir: string,
  publicUrl: string,
  { accountId, accessKey, accessSecret }: NewAccount,
): Promise<string> {
  const path = join(dataDir, 'demo.env');
  const variables = {
    SERVICE_URL: publicUrl,
    ACCOUNT_ID: accountId,
    ACCESS_KEY: accessKey,
    ACCESS_SECRET: accessSecret,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  await writeFile(
    path,
    `# The demo account. Load it into a shell with: . ${path}\n${lines.join('\n')}\n`,
    {
      mode: 0o600,
    },
  );
  return path;
}
