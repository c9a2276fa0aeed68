/** The error replies of an operation: each status with the codes that the operation can answer. Contract 8.1. */
import { type ErrorCode, errorTable, ServiceError } from '../../domain/errors.ts';
import { ErrorBody, errorBody } from '../error-reply.ts';
import type { DocumentedRoute, ErrorShape, Examples } from './documentation.ts';
import { headersOf } from './headers.ts';
import type { Response } from './model.ts';
import { acceptsSealed, orSealedReply } from './sealed.ts';

const merchantShape: ErrorShape = {
  prefix: '',
  schemaOf: () => ErrorBody,
  bodyOf: errorBody,
};

export function errorResponses(
  route: DocumentedRoute,
  examples: Examples,
  hasBody: boolean,
): Record<string, Response> {
  const { prefix, schemaOf } = shapeOf(route);
  const byStatus = Map.groupBy(listCodes(route, hasBody), (code) => errorTable[code].status);
  const responses = [...byStatus].map(([status, codes]): [string, Response] => {
    const schema = { ...schemaOf(status) };
    const shown = codes.map((code) => {
      const recorded = examples.errors?.[code];
      return [
        code,
        recorded === undefined
          ? { $ref: `#/components/examples/${prefix}${code}` }
          : { summary: code, value: recorded },
      ];
    });
    const content = {
      'application/json': {
        schema: isSealed(route, hasBody, status) ? orSealedReply(schema) : schema,
        examples: Object.fromEntries(shown),
      },
    };
    return [
      String(status),
      { description: describe(status, codes), headers: headersOf(status), content },
    ];
  });
  return Object.fromEntries(responses);
}

/** Before the body is opened, a refusal is plain: of the token, or of the size. */
function isSealed(route: DocumentedRoute, hasBody: boolean, status: number): boolean {
  const isPlain = status === 413 || (status === 401 && route.access !== 'anyone');
  return acceptsSealed(route, hasBody) && !isPlain;
}

/** The bodies with the texts of the error table, for all codes that some operation can answer. */
export function errorExamples(
  routes: readonly DocumentedRoute[],
): Record<string, { readonly summary: string; readonly value: unknown }> {
  const shapes = new Map(routes.map(shapeOf).map((shape) => [shape.prefix, shape]));
  const codes = Object.keys(errorTable) as ErrorCode[];
  const entries = [...shapes.values()].flatMap(({ prefix, bodyOf }) =>
    codes.map((code) => {
      const value = bodyOf(new ServiceError(code));
      return [`${prefix}${code}`, { summary: code, value }] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** In the order of the error table. */
function listCodes(route: DocumentedRoute, hasBody: boolean): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...(route.documentation.errors ?? []),
    ...codesOfAccess(route),
    ...(hasBody ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(acceptsSealed(route, hasBody)
      ? (['ENCRYPTION_NOT_ENABLED', 'DECRYPTION_FAILED', 'PERMISSION_DENIED'] as const)
      : []),
  ]);
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => codes.has(code));
}

/** What the guard, the rate limits and the concurrency limit can answer. */
function codesOfAccess({ access }: DocumentedRoute): readonly ErrorCode[] {
  const always = ['INVALID_REQUEST_PARAMETER', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
  switch (access) {
    case undefined:
      return [];
    case 'public':
      return always;
    case 'anyone':
      return [...always, 'ACCOUNT_SUSPENDED', 'RATE_LIMITED'];
    case 'merchant':
    case 'order':
      return [
        ...always,
        'AUTHENTICATION_FAILED',
        'INVALID_TOKEN',
        'TOKEN_EXPIRED',
        'PERMISSION_DENIED',
        'ACCOUNT_SUSPENDED',
        'RATE_LIMITED',
      ];
    default:
      return access satisfies never;
  }
}

function shapeOf({ documentation }: DocumentedRoute): ErrorShape {
  return documentation.errorShape ?? merchantShape;
}

function describe(status: number, codes: readonly ErrorCode[]): string {
  // An import would load more of Node at the start of the service.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const lines = codes.map((code) => `- \`${code}\`: ${errorTable[code].merchantMessage}`);
  return [`${STATUS_CODES[status]}.`, '', ...lines].join('\n');
}
