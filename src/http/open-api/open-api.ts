/**
 * The OpenAPI document: generated from the route schemas, completed with what the routes say about themselves, and
 * built at the first request, because most processes are never asked for it.
 */
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import packageJson from '../../../package.json' with { type: 'json' };
import type { DocumentedRoute, Examples } from './documentation.ts';
import { errorExamples } from './error-responses.ts';
import { headerComponents, parameterComponents } from './headers.ts';
import { introduction, tags } from './introduction.ts';
import type { OpenApi, Operation, Paths, Schema } from './model.ts';
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
      const { access, documentation } = route.config ?? {};
      // What is not documented is not for callers of the API, such as pages and other names of an operation.
      if (!documentation) return { schema: { ...schema, hide: true }, url };
      routes.set(schema.operationId ?? '', { access, documentation });
      // The body is read later. Until then this says that there is one.
      return { url, schema: documentation.loadBody ? { ...schema, body: {} } : schema };
    },
  });
  const build = async () => completeDocument(app.swagger() as unknown as OpenApi, routes, proofs());
  let building: Promise<OpenApi> | undefined;
  app.decorate('openApi', () => {
    building ??= build().catch((error: unknown) => {
      // A file that could not be read now may be readable at the next request.
      building = undefined;
      throw error;
    });
    return building;
  });
}

async function completeDocument(
  document: OpenApi,
  routes: ReadonlyMap<string, DocumentedRoute>,
  proofs: readonly ProviderProof[],
): Promise<OpenApi> {
  const contents = new Map(
    await Promise.all(
      [...routes].map(async ([operationId, { documentation }]) => {
        const examples = await readJson<Examples>(documentation.examples);
        return [operationId, { examples, body: await documentation.loadBody?.() }] as const;
      }),
    ),
  );
  const completed: Paths = mapValues(document.paths, (operations) =>
    mapValues(operations, (operation) => {
      const { operationId } = operation;
      const [route, own] = [routes.get(operationId), contents.get(operationId)];
      if (!route || !own) throw new Error(`${operationId} is not documented`);
      return completeOperation(withBody(operation, own.body), route, own.examples);
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

function withBody(operation: Operation, body: TSchema | undefined): Operation {
  if (!body) return operation;
  // As JSON, like the schemas that the plugin returns.
  const schema = JSON.parse(JSON.stringify(body)) as Schema;
  return { ...operation, requestBody: { content: { 'application/json': { schema } } } };
}

async function readJson<Content>(file: URL): Promise<Content> {
  return JSON.parse(await readFile(file, 'utf8'));
}
