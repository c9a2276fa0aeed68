/**
 * `npm run lint:openapi`: lints the OpenAPI document with the recommended rules of Redocly and Spectral, as their own
 * programs do, without a database and without a network. Prints each problem, and exits with 1 if there is one.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describeApi } from '../../src/process/app.ts';

/** A rule may be switched off here only with a reason. */
const redoclyConfig = { extends: ['recommended'], rules: {} };
const spectralRuleset: RulesetDefinition = {
  extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
  rules: {
    // Everybody runs their own service: whoever operates it is the contact, and the document cannot know them.
    'info-contact': 'off',
  },
};

const document = await describeApi('https://payments.example');
const problems = [...(await lintWithRedocly()), ...(await lintWithSpectral())];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('The OpenAPI document has no errors and no warnings.');

async function lintWithRedocly(): Promise<string[]> {
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config: await createConfig(redoclyConfig),
  });
  return found.map(
    ({ ruleId, severity, message, location: [first] }) =>
      `redocly ${severity} ${ruleId} at ${first?.pointer ?? '#/'}: ${message}`,
  );
}

async function lintWithSpectral(): Promise<string[]> {
  const severities = ['error', 'warning', 'information', 'hint'];
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(spectralRuleset);
  const found = await spectral.run({ ...document });
  return found.map(
    ({ code, severity, path, message }) =>
      `spectral ${severities[severity] ?? 'error'} ${code} at ${path.join('.')}: ${message}`,
  );
}
