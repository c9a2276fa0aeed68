/** Explains in one sentence why the service cannot listen on an address. */
import { StartError } from '../domain/start-error.ts';

export function explainListenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is already in use: stop the other program, or set PORT to a free one.`,
      );
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be used by this user: set PORT to one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST ${host} is not an address of this machine: set HOST to one that is.`,
      );
    default:
      return error;
  }
}
