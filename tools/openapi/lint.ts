/**
 * `npm run lint:openapi`: lints the OpenAPI document with the recommended rules of Redocly and Spectral, without a
 * database and without a network. Prints each problem, and exits with 1 if there is one.
 */
import { describeApi } from '../../src/process/app.ts';
import { lintWithRedocly } from './redocly.ts';
import { lintWithSpectral } from './spectral.ts';

const document = await describeApi('https://payments.example');
const problems = [...(await lintWithRedocly(document)), ...(await lintWithSpectral(document))];
for (const { linter, rule, severity, at, message } of problems) {
  console.error(`${linter} ${severity} ${rule} at ${at}: ${message}`);
}
if (problems.length > 0) process.exitCode = 1;
else console.log('The OpenAPI document has no errors and no warnings.');
