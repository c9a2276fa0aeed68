/** The routes of the merchant API, as the service itself lists them. */
import type { TestService } from '../support/test-service.ts';

export type Route = {
  readonly method: string;
  readonly path: string;
  /** False for the routes that are called without a bearer token. */
  readonly guarded: boolean;
  /** Webhooks have an error body of their own. */
  readonly isWebhook: boolean;
};

type Operation = {
  readonly security: readonly object[];
  /** Other methods and paths of the same operation, such as `PUT /api/v3/update-order`. */
  readonly 'x-aliases'?: readonly string[];
};
type OpenApi = { readonly paths: Record<string, Record<string, Operation>> };

export async function listRoutes(service: TestService): Promise<Route[]> {
  const { body } = await service.call('/openapi.json');
  return Object.entries((body as OpenApi).paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        namesOf(method, path, operation).map((name) => ({
          ...name,
          guarded: isGuarded(operation),
          isWebhook: path.startsWith('/api/v3/webhooks/'),
        })),
      ),
    );
}

/** The method and path of an operation, and of its aliases. */
export function namesOf(
  method: string,
  path: string,
  { 'x-aliases': aliases = [] }: Pick<Operation, 'x-aliases'>,
): { readonly method: string; readonly path: string }[] {
  const others = aliases.map((alias) => {
    const [otherMethod = '', otherPath = ''] = alias.split(' ');
    return { method: otherMethod, path: otherPath };
  });
  return [{ method: method.toUpperCase(), path }, ...others];
}

/** An empty requirement means that no token is needed. */
export function isGuarded({ security }: Pick<Operation, 'security'>): boolean {
  return security.length > 0 && security.every((schemes) => Object.keys(schemes).length > 0);
}

/** The fields go into the query of a GET, and into the body otherwise. */
export function requestTo(
  { method, path }: Route,
  fields: Record<string, unknown>,
): { readonly target: string; readonly method: string; readonly body?: Record<string, unknown> } {
  if (method !== 'GET' && method !== 'HEAD') return { target: path, method, body: fields };
  const texts = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return { target: `${path}?${new URLSearchParams(texts as [string, string][])}`, method };
}
