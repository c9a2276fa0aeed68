/** The error replies of an operation: each status with the codes that the operation can answer. Contract 8.1. */
import { type ErrorCode, errorTable, ServiceError } from '../../domain/errors.ts';
import { ErrorBody, errorBody } from '../error-reply.ts';
import type { Access } from '../guard.ts';
import { headersOf } from './components.ts';
import type { Documentation, DocumentedRoute, ErrorShape } from './documentation.ts';
import type { Response } from './model.ts';
import { acceptsSealed, orSealedReply } from './sealed.ts';

const merchantShape: ErrorShape = {
  prefix: '',
  schemaOf: () => ErrorBody,
  bodyOf: errorBody,
};

export function errorResponses(
  { access, documentation, examples }: DocumentedRoute,
  hasBody: boolean,
): Record<string, Response> {
  const { prefix, schemaOf } = documentation.errorShape ?? merchantShape;
  const exampleOf = (code: ErrorCode) => {
    const value = examples.errors?.[code];
    return value === undefined
      ? { $ref: `#/components/examples/${prefix}${code}` }
      : { summary: code, value };
  };
  const responseOf = (status: number, codes: readonly ErrorCode[]): Response => {
    // Before the body is opened, a refusal is plain: of the token, or of the size.
    const isPlain = status === 413 || (status === 401 && access !== 'anyone');
    const isSealed = acceptsSealed(access, hasBody) && !isPlain;
    const schema = { ...schemaOf(status) };
    return {
      description: describe(status, codes),
      headers: headersOf(status),
      content: {
        'application/json': {
          schema: isSealed ? orSealedReply(schema) : schema,
          examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
        },
      },
    };
  };
  const codes = listCodes(access, documentation, hasBody);
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [status, responseOf(status, ofStatus)]),
  );
}

const allCodes = Object.keys(errorTable) as ErrorCode[];

/** The bodies with the texts of the error table, in every shape that some operation has. */
export function errorExamples(documentations: readonly Documentation[]): Record<string, object> {
  const shapes = new Set(documentations.map(({ errorShape }) => errorShape ?? merchantShape));
  return Object.fromEntries(
    [...shapes].flatMap(({ prefix, bodyOf }) =>
      allCodes.map((code) => [
        `${prefix}${code}`,
        { summary: code, value: bodyOf(new ServiceError(code)) },
      ]),
    ),
  );
}

function listCodes(access: Access | undefined, { errors = [] }: Documentation, hasBody: boolean) {
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(access ? codesOfAccess[access] : []),
    ...(hasBody ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(acceptsSealed(access, hasBody) ? codesOfSealed : []),
  ]);
  return allCodes.filter((code) => codes.has(code));
}

const codesOfSealed = ['ENCRYPTION_NOT_ENABLED', 'DECRYPTION_FAILED', 'PERMISSION_DENIED'] as const;
const codesOfPublic = [
  'INVALID_REQUEST_PARAMETER',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;
const codesOfAnyone = [...codesOfPublic, 'ACCOUNT_SUSPENDED', 'RATE_LIMITED'] as const;
const codesOfToken = [
  ...codesOfAnyone,
  'AUTHENTICATION_FAILED',
  'INVALID_TOKEN',
  'TOKEN_EXPIRED',
  'PERMISSION_DENIED',
] as const;

/** What the guard, the rate limits and the concurrency limit can answer. */
const codesOfAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: codesOfPublic,
  anyone: codesOfAnyone,
  merchant: codesOfToken,
  order: codesOfToken,
};

function describe(status: number, codes: readonly ErrorCode[]): string {
  // An import would load more of Node at the start of the service.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const lines = codes.map((code) => `- \`${code}\`: ${errorTable[code].merchantMessage}`);
  return [`${STATUS_CODES[status]}.`, '', ...lines].join('\n');
}
