/** Lints with the recommended rules of Redocly, as `redocly lint` does with them. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Problem } from './problem.ts';

/** A rule may be switched off here only with a reason. */
const config = { extends: ['recommended'], rules: {} };

export async function lintWithRedocly(document: object): Promise<Problem[]> {
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config: await createConfig(config),
  });
  return found.map(({ ruleId, severity, message, location: [place] }) => ({
    linter: 'redocly',
    rule: ruleId,
    severity,
    at: place?.pointer ?? '#/',
    message,
  }));
}
