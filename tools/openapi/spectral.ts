/** Lints with the recommended rules of Spectral for OpenAPI, as `spectral lint` does with them. */
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import type { Problem } from './problem.ts';

/** A rule may be switched off here only with a reason. */
const ruleset: RulesetDefinition = {
  extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
  rules: {
    // Everybody runs their own service: whoever operates it is the contact, and the document cannot know them.
    'info-contact': 'off',
  },
};

const severities = ['error', 'warning', 'information', 'hint'];

export async function lintWithSpectral(document: object): Promise<Problem[]> {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(ruleset);
  const found = await spectral.run({ ...document });
  return found.map(({ code, severity, path, message }) => ({
    linter: 'spectral',
    rule: String(code),
    severity: severities[severity] ?? 'error',
    at: path.join('.'),
    message,
  }));
}
