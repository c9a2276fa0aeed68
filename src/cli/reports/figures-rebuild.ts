/** `figures rebuild`: counts the figures of the dashboard again. */
import { commandLine } from '../../domain/audit.ts';
import { rebuildFigures } from '../../use-cases/reports/count-figures.ts';
import { defineCommand } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';

export const figuresRebuild = defineCommand({
  name: ['figures', 'rebuild'],
  summary: 'Count the figures of the dashboard again.',
  description:
    'Counts the figures of every half hour again from its orders, and stores those that differ. The sweep does the same all the time, a part in every minute; this command does all of it at once. Figures that are right do not change.',
  options: accountOption,
  examples: ['figures rebuild', 'figures rebuild --account acc_…'],
  run: async (services, { values: { account } }) => {
    await checkAccount(services, account);
    return rebuildFigures(services, commandLine, account);
  },
});
