/**
 * Limits how many expensive calls of one account run at the same time in a process, so that the people of one account do
 * not take the database from the shops. A slot is free again when the reply has ended, however it ends. Contract 13.4.
 */
import type { onRequestHookHandler } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { getAccount } from './dashboard-guard.ts';

/** A hook of a route that needs a role. The routes that share it share the slots. */
export function limitPerAccount(callsMax: number, what: string): onRequestHookHandler {
  const taken = new Map<string, number>();
  return (request, { raw }, done) => {
    const { accountId } = getAccount(request);
    const own = taken.get(accountId) ?? 0;
    if (own >= callsMax) return done(newRefusal(what));
    // A closed socket never fires `close`, so it must not take a slot.
    if (!raw.destroyed) {
      taken.set(accountId, own + 1);
      raw.once('close', () => release(taken, accountId));
    }
    return done();
  };
}

function newRefusal(what: string): ServiceError {
  const message = `Too many ${what} of this account are running at the moment: wait a few seconds, then try again.`;
  return new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: 2 });
}

function release(taken: Map<string, number>, accountId: string): void {
  const own = taken.get(accountId) ?? 0;
  if (own > 1) taken.set(accountId, own - 1);
  else taken.delete(accountId);
}
