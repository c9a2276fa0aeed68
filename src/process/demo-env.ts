/**
 * `demo.env` in the data folder: the demo account as shell variables, so that documented commands can be pasted as they
 * are. See docs/decisions/0032-the-first-hour.md.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { demoEnvFile } from '../embedded-postgres/database-folder.ts';
import { type Ids, writeDurably } from '../embedded-postgres/durable-file.ts';
import type { NewAccount } from '../use-cases/accounts/create-account.ts';

/**
 * Returns the path of the file, which only its owner can read. Undefined if it cannot be written: the account exists by
 * then, and its secrets must be printed all the same.
 */
export async function writeDemoEnv(
  dataDir: string,
  publicUrl: string,
  { accountId, accessKey, accessSecret }: NewAccount,
  owner: Ids | undefined,
): Promise<string | undefined> {
  const path = join(dataDir, demoEnvFile);
  const variables = {
    SERVICE_URL: publicUrl,
    ACCOUNT_ID: accountId,
    ACCESS_KEY: accessKey,
    ACCESS_SECRET: accessSecret,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const text = `# The demo account. Load it into a shell with: . ${path}\n${lines.join('\n')}\n`;
  try {
    // Left there by somebody else, it may belong to another user.
    await rm(path, { force: true });
    await writeDurably(path, text, owner);
    return path;
  } catch {
    return undefined;
  }
}
