/** The page that describes every call, from the package's own files; it calls nobody but this service. */
import type { RouteHandlerMethod } from 'fastify';
import Fastify, { type FastifyInstance } from 'fastify';

const pages = ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json', '/docs/openapi.yaml'];

/** The page's files are large and rarely asked for, so they are loaded at the first visit. */
export function addDocsPage(app: FastifyInstance): void {
  let loading: Promise<FastifyInstance> | undefined;
  const handler: RouteHandlerMethod = async (request, reply) => {
    loading ??= loadDocs(app);
    const docs = await loading;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.hijack();
    docs.routing(request.raw, reply.raw);
  };
  for (const url of pages) app.get(url, { schema: { hide: true }, handler });
}

async function loadDocs(app: FastifyInstance): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const docs = Fastify();
  await docs.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      content: () => app.swagger(),
      pageTitle: 'payment-order-service API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      defaultOpenAllTags: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  });
  await docs.ready();
  return docs;
}
