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

type OpenApi = {
  readonly paths: Record<string, Record<string, { readonly security?: readonly unknown[] }>>;
};

export async function listRoutes(service: TestService): Promise<Route[]> {
  const { body } = await service.call('/openapi.json');
  return Object.entries((body as OpenApi).paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => ({
        method: method.toUpperCase(),
        path,
        guarded: security === undefined || security.length > 0,
        isWebhook: path.startsWith('/api/v3/webhooks/'),
      })),
    );
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
