/** The API reference page. All its files come from an installed package, and it calls only this service. */
import { createHash } from 'node:crypto';
import type { RouteHandlerMethod } from 'fastify';
import Fastify, { type FastifyInstance } from 'fastify';

const pages = ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json', '/docs/openapi.yaml'];

/** The page's files are large and rarely needed, so they are loaded on the first visit. */
export function addDocsPage(app: FastifyInstance): void {
  let loading: Promise<Docs> | undefined;
  const handler: RouteHandlerMethod = async (request, reply) => {
    loading ??= loadDocs(app);
    const { docs, policy } = await loading;
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.hijack();
    docs.routing(request.raw, reply.raw);
  };
  for (const url of pages) app.get(url, { schema: { hide: true }, handler });
}

type Docs = { readonly docs: FastifyInstance; readonly policy: string };

async function loadDocs(app: FastifyInstance): Promise<Docs> {
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
  return { docs, policy: policyOf((await docs.inject('/docs/')).body) };
}

/** The page may run the package's script and its own inline one, calls only this service and cannot be framed. */
function policyOf(page: string): string {
  const own = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${own.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
