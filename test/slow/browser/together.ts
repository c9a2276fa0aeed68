/** Runs its test files in one process: see the table in test/support/together.ts. */
import { runTogether } from '../../support/together.ts';

runTogether(import.meta.filename);
