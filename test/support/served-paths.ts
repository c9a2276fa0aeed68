/** Every path that the application serves, from its own table of routes. */

import { createMetrics } from '../../src/http/operator/metrics.ts';
import { buildApp } from '../../src/process/app.ts';
import { createLog } from '../../src/process/log.ts';
import type { TestService } from './test-service.ts';

/** Parameters are in braces. */
export async function listServedPaths({ services }: TestService): Promise<string[]> {
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const branches = [...app.printRoutes({ commonPrefix: false }).matchAll(/^([│├└─ ]+)(\S+) \(/gm)];
  await app.close();
  const path: string[] = [];
  const paths = branches.map(([, lines = '', segment = '']) => {
    path.splice(lines.length / 4 - 1, path.length, segment);
    return path.join('').replace(/:(\w+)/g, '{$1}');
  });
  return paths.sort();
}
