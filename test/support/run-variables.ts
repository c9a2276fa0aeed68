/** Environment variables by which the parts of a test run tell each other about it. */

/** Where statements are recorded. Set by the global setup; without it nothing is recorded. */
export const folderVariable = 'TEST_STATEMENTS_FOLDER';

/** Set by test/run.ts when all files but the slow ones run. */
export const wholeRunVariable = 'TEST_RUN_IS_WHOLE';

/** Set by test/run.ts when the run shall list the time of each file. */
export const timesVariable = 'TEST_RUN_TIMES';
