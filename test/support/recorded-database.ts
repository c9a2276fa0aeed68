/** Stands in for `src/postgres/database.ts` in a test run: the same, but every database records its statements. */
import { openDatabase as open } from '../../src/postgres/database.ts';
import { recordStatements } from './record-statements.ts';

export * from '../../src/postgres/database.ts';

export const openDatabase: typeof open = (address, options) =>
  recordStatements(open(address, options));
