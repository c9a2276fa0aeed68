/** Environment variables by which the parts of a test run tell each other about it. */

/** Where statements are recorded. Set by the global setup; without it nothing is recorded. */
export const folderVariable = 'TEST_STATEMENTS_FOLDER';

/** Set by test/run.ts when all files run. */
export const wholeRunVariable = 'TEST_RUN_IS_WHOLE';
