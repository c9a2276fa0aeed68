/**
 * The OpenAPI document: generated from the route schemas, completed with what the routes say about themselves, and
 * built at the first request, because most processes are never asked for it.
 */
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../../package.json' with { type: 'json' };
import type { DocumentedRoute, Examples } from './documentation.ts';
import { errorExamples } from './error-responses.ts';
import { headerComponents, parameterComponents } from './headers.ts';
import { introduction, tags } from './introduction.ts';
import type { OpenApi, Paths } from './model.ts';
import { mapValues, nameSchemas } from './named-schemas.ts';
import { completeOperation } from './operation.ts';
import { sealedExamplesFile } from './sealed.ts';
import { type ProviderProof, securitySchemes } from './security-schemes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly openApi: () => Promise<OpenApi>;
  }
}

/** Call it before the routes are added. */
export async function addOpenApi(
  app: FastifyInstance,
  publicUrl: string,
  proofs: () => readonly ProviderProof[],
): Promise<void> {
  const routes = new Map<string, DocumentedRoute>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Payment Order Service',
        version: packageJson.version,
        summary: packageJson.description,
        description: introduction,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl, description: 'This service' }],
      tags,
    },
    transform: ({ schema, url, route }) => {
      if (schema?.hide) return { schema, url };
      const { access, documentation } = route.config ?? {};
      if (!documentation) throw new Error(`${url} has no documentation`);
      routes.set(schema.operationId ?? '', { access, documentation });
      return { url, schema: documentation.body ? { ...schema, body: documentation.body } : schema };
    },
  });
  let building: Promise<OpenApi> | undefined;
  app.decorate('openApi', () => {
    building ??= completeDocument(app.swagger() as unknown as OpenApi, routes, proofs());
    return building;
  });
}

async function completeDocument(
  document: OpenApi,
  routes: ReadonlyMap<string, DocumentedRoute>,
  proofs: readonly ProviderProof[],
): Promise<OpenApi> {
  const examples = await readAllExamples(routes);
  const completed: Paths = mapValues(document.paths, (operations) =>
    mapValues(operations, (operation) => {
      const { operationId } = operation;
      const [route, shown] = [routes.get(operationId), examples.get(operationId)];
      if (!route || !shown) throw new Error(`${operationId} is not documented`);
      return completeOperation(operation, route, shown);
    }),
  );
  const { schemas, paths } = nameSchemas(completed);
  const components = {
    schemas,
    parameters: parameterComponents,
    headers: headerComponents,
    securitySchemes: securitySchemes(proofs),
    examples: {
      ...(await readJson<object>(sealedExamplesFile)),
      ...errorExamples([...routes.values()]),
    },
  };
  const { openapi, info, servers } = document;
  const text = JSON.stringify(paths);
  return { openapi, info, servers, tags: document.tags, paths, components: used(components, text) };
}

/** Leaves out shared examples and parameters that no operation refers to. */
function used(
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  text: string,
): OpenApi['components'] {
  return mapValues(components, (entries, kind) =>
    ['schemas', 'securitySchemes'].includes(kind)
      ? entries
      : Object.fromEntries(
          Object.entries(entries).filter(([name]) =>
            text.includes(`"#/components/${kind}/${name}"`),
          ),
        ),
  );
}

async function readAllExamples(
  routes: ReadonlyMap<string, DocumentedRoute>,
): Promise<Map<string, Examples>> {
  const entries = [...routes].map(
    async ([operationId, { documentation }]): Promise<[string, Examples]> => [
      operationId,
      await readJson<Examples>(documentation.examples),
    ],
  );
  return new Map(await Promise.all(entries));
}

async function readJson<Content>(file: URL): Promise<Content> {
  return JSON.parse(await readFile(file, 'utf8'));
}
