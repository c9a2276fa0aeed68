/** Structured logs on standard output, without secrets and personal data. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogWarning, Warning } from '../services/warnings.ts';

export type Log = Logger;

/** A second line of defence: these fields should not be logged in the first place. */
const secretFields = [
  'authorization',
  'token',
  'refresh_token',
  'access_secret',
  'secret',
  'password',
  'email',
  'mobile_number',
  'mobileNumber',
  'account_number',
  'accountNumber',
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

/** Field names are those of the API. */
export function logWarningsTo(log: Log): LogWarning {
  return ({ kind, accountId, ...about }) => {
    log.warn({ account_id: accountId, ...about }, warningTexts[kind]);
  };
}

/** The message of a database error may quote values of rows, so only its code and names are logged. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, severity, constraint, table, routine } = error as Error & Record<string, unknown>;
  if (severity !== undefined)
    return { type: 'DatabaseError', code, severity, constraint, table, routine };
  return { type: error.name, code, message: error.message, stack: error.stack };
}
