/**
 * The service as a process of its own. Give it a DATA_DIR for the embedded database, or a DATABASE_URL; every
 * tool and every test that needs a whole process starts it here.
 */
import { findFreePort } from './free-port.ts';
import { assertRunning, type Launched, type LaunchOptions, launch } from './launch.ts';
import type { Environment } from './project.ts';
import { waitUntil } from './wait-until.ts';

export type ServiceOptions = LaunchOptions & {
  /** What is run; default: `src/main.ts` with this Node. */
  readonly command?: readonly [string, ...string[]];
  /** Default: 30. */
  readonly readySecondsMax?: number;
  /** Called before the wait for readiness, so that the caller can clean up whatever happens. */
  readonly onLaunched?: (launched: Launched) => void;
};

export type Service = Launched & {
  readonly baseUrl: string;
  readonly port: number;
};

/** The service prints this with its address when it is ready. */
export const readyMessage = 'is ready on';
/** A connection that stays open would delay the end of a service that waits for its last request. */
export const withoutKeepAlive = { connection: 'close' };

const serviceCommand = [process.execPath, 'src/main.ts'] as const;

/** Starts it and resolves when it is ready; one that does not become ready is ended. */
export async function startService(
  env: Environment,
  options: ServiceOptions = {},
): Promise<Service> {
  const port = env.PORT === undefined ? await findFreePort() : Number(env.PORT);
  const launched = launchService({ ...env, PORT: String(port) }, options);
  const service = { ...launched, port, baseUrl: `http://${env.HOST ?? '127.0.0.1'}:${port}` };
  options.onLaunched?.(launched);
  try {
    await waitUntilReady(service, options.readySecondsMax);
  } catch (error) {
    await launched.end('SIGTERM').catch(() => undefined);
    throw error;
  }
  return service;
}

/** Starts it without waiting for anything. */
export function launchService(env: Environment, options: ServiceOptions = {}): Launched {
  return launch(options.command ?? serviceCommand, env, options);
}

/** After the start, and again after its database was killed. */
export async function waitUntilReady(service: Service, secondsMax?: number): Promise<void> {
  const isServing = async () => {
    await assertRunning(service);
    // With several workers, one of them may answer before the first process has printed its text.
    return service.output().includes(readyMessage) && (await isReady(service.baseUrl));
  };
  await waitUntil('the service is ready', isServing, secondsMax);
}

export async function isReady(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/readyz`, { headers: withoutKeepAlive }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response?.ok ?? false;
}
