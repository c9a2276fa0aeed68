/** The OpenAPI document, from the routes. It is built at the first request: most processes are never asked for it. */
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../../package.json' with { type: 'json' };
import { headerComponents, parameterComponents, securitySchemes } from './components.ts';
import type { DocumentedRoute, Examples } from './documentation.ts';
import { errorExamples } from './error-responses.ts';
import { introduction, tags } from './introduction.ts';
import type { OpenApi, Paths } from './model.ts';
import { mapValues, nameSchemas } from './named-schemas.ts';
import { completeOperation } from './operation.ts';
import { sealedExamplesFile } from './sealed.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly openApi: () => Promise<OpenApi>;
  }
}

type RouteConfig = Pick<DocumentedRoute, 'access' | 'documentation'>;

/** Call it before the routes are added. `loadWebhooks` describes what the service sends. */
export async function addOpenApi(
  app: FastifyInstance,
  publicUrl: string,
  loadWebhooks: () => Promise<Paths>,
): Promise<void> {
  const configs = new Map<string, RouteConfig>();
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
      configs.set(schema.operationId ?? '', { access, documentation });
      // The body is read later. Until then this says that there is one.
      return { url, schema: documentation.loadBody ? { ...schema, body: {} } : schema };
    },
  });
  app.decorate('openApi', async () =>
    completeDocument(app.swagger() as unknown as OpenApi, configs, await loadWebhooks()),
  );
}

async function completeDocument(
  document: OpenApi,
  configs: ReadonlyMap<string, RouteConfig>,
  sent: Paths,
): Promise<OpenApi> {
  const routes = new Map(
    await Promise.all(
      [...configs].map(async ([operationId, config]) => [operationId, await load(config)] as const),
    ),
  );
  const completed: Paths = mapValues(document.paths, (operations) =>
    mapValues(operations, (operation) => {
      const route = routes.get(operation.operationId);
      if (!route) throw new Error(`${operation.operationId} is not documented`);
      return completeOperation(operation, route);
    }),
  );
  const { schemas, paths, webhooks } = nameSchemas({ paths: completed, webhooks: sent });
  const components = {
    schemas,
    parameters: parameterComponents,
    headers: headerComponents,
    securitySchemes: securitySchemes(),
    examples: {
      ...(await readJson<object>(sealedExamplesFile)),
      ...errorExamples([...configs.values()].map(({ documentation }) => documentation)),
    },
  };
  const { openapi, info, servers, tags } = document;
  const text = JSON.stringify([paths, webhooks]);
  return { openapi, info, servers, tags, paths, webhooks, components: used(components, text) };
}

async function load({ access, documentation }: RouteConfig): Promise<DocumentedRoute> {
  const examples = await readJson<Examples>(documentation.examples);
  const body = await documentation.loadBody?.();
  // As JSON, like the schemas that the plugin returns.
  return { access, documentation, examples, body: body && JSON.parse(JSON.stringify(body)) };
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

async function readJson<Content>(file: URL): Promise<Content> {
  return JSON.parse(await readFile(file, 'utf8'));
}
