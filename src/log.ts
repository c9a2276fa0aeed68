/** Structured logs on standard output. What is secret or personal never gets this far, or is redacted. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogWarning, Warning } from './services/warnings.ts';

export type Log = Logger;

/** Fields that hold secrets or personal data, wherever they stand in a logged object. */
const secretFields = [
  ...['authorization', 'token', 'refresh_token', 'access_secret', 'secret', 'password'],
  ...['email', 'mobile_number', 'mobileNumber', 'account_number', 'accountNumber'],
];

export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    destination ?? pino.destination(1),
  );
}

const warningTexts: Readonly<Record<Warning['kind'], string>> = {
  'webhook-refused': 'a webhook was refused',
  'provider-call-failed': 'a call to a provider failed',
};

/** In the names that operators know from the API. */
export function logWarningsTo(log: Log): LogWarning {
  return ({ kind, accountId, ...about }) => {
    log.warn({ account_id: accountId, ...about }, warningTexts[kind]);
  };
}

/**
 * A database error may quote values of rows in its message and detail, so only its names are
 * kept; of any other error the stack, which holds code and no data.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, severity, constraint, table, routine } = error as Error & Record<string, unknown>;
  if (severity !== undefined)
    return { type: 'DatabaseError', code, severity, constraint, table, routine };
  return { type: error.name, code, message: error.message, stack: error.stack };
}
