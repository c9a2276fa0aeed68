/** What `npm test` runs of this folder: every file of it, in one process. */
import { runTogether } from '../support/together.ts';

runTogether(import.meta.dirname);
