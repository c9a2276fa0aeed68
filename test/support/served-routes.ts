/** Every path that the application serves with its methods, from its own table of routes. */
import { buildApp } from '../../src/app.ts';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import { createLog } from '../../src/log.ts';
import type { TestService } from './test-service.ts';

export type ServedRoute = { readonly path: string; readonly methods: readonly string[] };

/** Parameters are in braces. */
export async function listServedRoutes({ services }: TestService): Promise<ServedRoute[]> {
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const tree = app.printRoutes({ commonPrefix: false });
  await app.close();
  const path: string[] = [];
  return [...tree.matchAll(/^([│├└─ ]+)(\S+) \(([^)]*)\)/gm)].map(
    ([, lines = '', segment = '', methods = '']) => {
      path.splice(lines.length / 4 - 1, path.length, segment);
      return { path: path.join('').replace(/:(\w+)/g, '{$1}'), methods: methods.split(', ') };
    },
  );
}
