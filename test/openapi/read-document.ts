/** Ways through an OpenAPI document, for the tests that look at every part of it. */
import type { Content, Media, OpenApi, Operation } from '../../src/http/open-api/model.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the fields it looks at
export type Entry = Readonly<Record<string, any>>;

type Located = { readonly at: string; readonly operation: Operation };

/** Of the paths, or of the webhooks that the service sends. */
export function operationsOf(paths: OpenApi['paths']): Located[] {
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Follows a reference. A description beside it takes precedence. */
export function resolve(document: OpenApi, entry: unknown): Entry {
  const { $ref, ...beside } = entry as Entry;
  if ($ref === undefined) return beside;
  const parts = String($ref).slice(2).split('/');
  const found = parts.reduce((node: Entry, part) => node[part], document as Entry);
  if (found === undefined) throw new Error(`${$ref} leads nowhere`);
  return { ...found, ...beside };
}

/** All bodies of requests and replies. */
export function mediaOf(
  operations: readonly Located[],
): { readonly at: string; readonly media: Media }[] {
  const list = (at: string, content: Content = {}) =>
    Object.entries(content).map(([type, media]) => ({ at: `${at} ${type}`, media }));
  return operations.flatMap(({ at, operation }) => [
    ...list(`${at} request`, operation.requestBody?.content),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      list(`${at} ${status}`, content),
    ),
  ]);
}

/** Visits the named schemas, those of the operations, and every schema inside them. */
export function walkSchemas(document: OpenApi, visit: (at: string, schema: Entry) => void): void {
  const walk = (at: string, node: unknown): void => {
    if (Array.isArray(node)) {
      for (const entry of node) walk(at, entry);
    } else if (typeof node === 'object' && node !== null) {
      visit(at, node as Entry);
      for (const [name, entry] of Object.entries(node)) walk(`${at}.${name}`, entry);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    walk(name, schema);
  for (const { at, media } of mediaOf([document.paths, document.webhooks].flatMap(operationsOf)))
    walk(at, media.schema);
}
