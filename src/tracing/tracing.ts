/** What the composition root gets when traces are exported. Without an exporter nothing of this folder is loaded. */
import type { FastifyInstance } from 'fastify';
import type { Database } from '../postgres/database.ts';
import type { CallProvider } from '../providers/call.ts';
import type { SendEvent } from '../services/event-sender.ts';

/** Each function returns, or extends, the same part with spans around what it does. */
export type Tracing = {
  readonly traceRequests: (app: FastifyInstance) => void;
  readonly traceDatabase: (database: Database) => Database;
  readonly traceProviderCalls: (call: CallProvider) => CallProvider;
  readonly traceEvents: (send: SendEvent) => SendEvent;
  /** Exports what is left, for a limited time. */
  readonly stop: () => Promise<void>;
};
