/** `/dashboard` and what is below it except the API: one page, whose files are all from here. Contract 13.1. */
import { hash } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { basePathOf, type HttpContext } from '../http-context.ts';
import { iconLinkFrom } from '../icon.ts';
import { createStaticFile, once, pagePolicy, sendStaticFile } from '../static-file.ts';
import { listImports, loadPageFiles, type PageFiles, packageModules } from './page-files.ts';

type FileParams = { readonly version: string; readonly name: string; readonly file?: string };
type PageParams = { readonly page?: string };

const bounded = { config: { bound: 'file' } } as const;

export function dashboardPages(context: HttpContext): FastifyPluginAsync {
  // Compressing takes a moment, so it is done on the first visit.
  const load = once(() => loadAll(basePathOf(context)));
  return async (app) => {
    for (const path of ['/:name', '/:name/:file']) {
      app.get<{ Params: FileParams }>(
        `/dashboard/files/:version${path}`,
        bounded,
        async (request, reply) => {
          const { version, name, file } = request.params;
          const loaded = await load();
          const found = loaded.files.get(file === undefined ? name : `${name}/${file}`);
          // A page of an earlier version asks for its own files: it must not get others under their name.
          if (!found || version !== loaded.version) throw new ServiceError('NOT_FOUND');
          return sendStaticFile(request, reply, found, 'immutable');
        },
      );
    }
    for (const path of ['', '/:page', '/:page/:id', '/:page/:id/:part']) {
      app.get<{ Params: PageParams }>(`/dashboard${path}`, bounded, async (request, reply) => {
        // What the API or the files do not have is no page.
        if (['api', 'files'].includes(request.params.page ?? ''))
          throw new ServiceError('NOT_FOUND');
        const { page, policy } = await load();
        reply
          .header('content-security-policy', policy)
          .header('referrer-policy', 'no-referrer')
          .header('cross-origin-opener-policy', 'same-origin');
        return sendStaticFile(request, reply, page);
      });
    }
  };
}

async function loadAll(basePath: string) {
  const files = await loadPageFiles();
  const folder = `${basePath}/dashboard/files/${files.version}`;
  const importMap = JSON.stringify({
    imports: Object.fromEntries(
      Object.entries(packageModules).map(([name, path]) => [name, `${folder}/${path}`]),
    ),
  });
  const text = pageText(basePath, folder, importMap, files);
  const digest = hash('sha256', importMap, 'base64');
  return {
    ...files,
    page: await createStaticFile('text/html; charset=utf-8', text),
    policy: pagePolicy(
      // The one inline script is the import map, which is allowed by its digest.
      `script-src 'self' 'sha256-${digest}'`,
      "style-src 'self'",
      "img-src 'self' data:",
    ),
  };
}

/** What every page needs is requested at once; a page and what it alone needs are loaded when it is shown. */
function preloadedOf({ files }: PageFiles): readonly string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    const text = files.get(path)?.body.toString();
    if (text === undefined || found.has(path)) return;
    found.add(path);
    for (const imported of listImports(path, text)) add(imported);
  };
  add('main.js');
  return [...found];
}

/** The rules that all pages share come first, so that those of a page can follow them. */
function stylesOf({ files }: PageFiles): readonly string[] {
  const shared = 'styles/dashboard.css';
  const isOther = (path: string) => path.startsWith('styles/') && path !== shared;
  return [shared, ...[...files.keys()].filter(isOther)];
}

function pageText(basePath: string, folder: string, importMap: string, files: PageFiles): string {
  const sheets = stylesOf(files).map((path) => `<link rel="stylesheet" href="${folder}/${path}">`);
  const links = preloadedOf(files).map(
    (path) => `<link rel="modulepreload" href="${folder}/${path}">`,
  );
  return `<!doctype html>
<html lang="en" data-base="${basePath}">
<head>
<meta charset="utf-8">
<title>Payments</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${iconLinkFrom(`${basePath}/`)}
${sheets.join('\n')}
<script type="importmap">${importMap}</script>
${links.join('\n')}
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard needs JavaScript. The command line of the service can do the same.</p></noscript>
<script type="module" src="${folder}/main.js"></script>
</body>
</html>
`;
}
