/** Where the project is, and the environment that every process started by a tool or a test gets. */
export const projectDir = new URL('../../', import.meta.url).pathname;

export type Environment = Readonly<Record<string, string>>;

/**
 * Nothing else is inherited: settings in the caller's shell, such as DATABASE_URL, must not reach the service.
 * The compile cache is the one that the npm scripts use.
 */
export const baseEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: `${projectDir}node_modules/.cache/compile`,
};
