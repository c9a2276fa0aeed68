/** Derives the services that a use case needs, so that its callers can require exactly those. */
import type { Transaction } from '../postgres/database.ts';

/** The type of the first parameter of a use case, or of the second where the first is a transaction. */
export type NeedsOf<UseCase extends (...parameters: never[]) => unknown> =
  Parameters<UseCase>[0] extends Transaction ? Parameters<UseCase>[1] : Parameters<UseCase>[0];
