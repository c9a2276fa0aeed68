/** The OpenAPI document, and the page that shows it with a script from an installed package. */
import Fastify, { type FastifyInstance } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { iconLinkFrom } from '../icon.ts';
import { createStaticFile, once, pagePolicy, sendStaticFile } from '../static-file.ts';

export function addDocsPage(app: FastifyInstance): void {
  const document = once(async () =>
    createStaticFile('application/json; charset=utf-8', `${JSON.stringify(await app.openApi())}\n`),
  );
  // The script is large and rarely needed, so it is loaded on the first visit.
  const script = once(async () => createStaticFile(javaScript, await readScript()));
  const start = once(() => createStaticFile(javaScript, startScript));
  const page = once(async () =>
    createStaticFile('text/html; charset=utf-8', html((await script()).etag)),
  );

  app.get('/openapi.json', async (request, reply) =>
    sendStaticFile(request, reply, await document()),
  );
  // The links of the page are relative to its folder.
  app.get('/docs', async (_request, reply) => reply.redirect('docs/', 302));
  app.get('/docs/', async (request, reply) => {
    reply.header('referrer-policy', 'no-referrer').header('content-security-policy', policy);
    return sendStaticFile(request, reply, await page());
  });
  app.get('/docs/start.js', async (request, reply) =>
    sendStaticFile(request, reply, await start()),
  );
  app.get<{ Params: { etag: string } }>('/docs/scalar/:etag', async (request, reply) => {
    const file = await script();
    // After an upgrade an old page may ask for the old script: it gets the new one, which is not stored as the old.
    const isCurrent = request.params.etag === `${file.etag}.js`;
    return sendStaticFile(request, reply, file, isCurrent ? 'immutable' : 'revalidated');
  });
}

const checkoutFields = ['token', 'payment_mode_code', 'bank_code'];

/** `GET /` leads to the API reference, for everybody who would accept a page. */
export function addHomePage(app: FastifyInstance): void {
  app.get<{ Querystring: Readonly<Record<string, unknown>> }>(
    '/',
    async ({ headers, query }, reply) => {
      // Where a shipped browser client sends the consumer. The checkout takes the token out of the address.
      if (typeof query.token === 'string') {
        const sent = Object.entries(query).filter(
          (field): field is [string, string] =>
            checkoutFields.includes(field[0]) && typeof field[1] === 'string',
        );
        return reply
          .header('referrer-policy', 'no-referrer')
          .redirect(`checkout?${new URLSearchParams(sent)}`, 303);
      }
      const acceptsPage = /text\/html|\*\/\*/.test(headers.accept ?? '*/*');
      if (!acceptsPage) throw new ServiceError('NOT_FOUND');
      return reply.header('vary', 'accept').redirect('docs/', 302);
    },
  );
}

const javaScript = 'text/javascript; charset=utf-8';

/** The package serves its script through a plugin and does not export it as a file. */
async function readScript(): Promise<Buffer> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(apiReference, { routePrefix: '/docs', configuration: { content: {} } });
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error('the package of the API reference has no script');
  return rawPayload;
}

const policy = pagePolicy(
  "script-src 'self'",
  // The script of the package inserts its styles.
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
);

function html(etag: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Payment Order Service API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The API of the payment order service">
${iconLinkFrom('../')}
</head>
<body>
<div id="app"></div>
<noscript><p>This page needs JavaScript. The same content is in <a href="../openapi.json">openapi.json</a>.</p></noscript>
<script src="scalar/${etag}.js"></script>
<script src="start.js"></script>
</body>
</html>
`;
}

const configuration = {
  url: '../openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
  // A section that a link leads to gets the focus; a frame around the whole section only disturbs.
  customCss: '.section:focus-visible { outline: none; }',
};

const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(configuration)});\n`;
