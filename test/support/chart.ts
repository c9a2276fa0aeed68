/** The manifests that the Helm chart renders, for the tests that look at them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { projectDir } from '../../tools/harness/project.ts';
import { renderChart } from './render-chart.ts';

export const chartDir = join(projectDir, 'deploy/helm/payment-order-service');

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the fields it looks at
export type Manifest = any;

export const given = {
  publicUrl: 'https://pay.example.com',
  existingSecret: { name: 'payments' },
  podAnnotations: { 'example.com/team': 'payments' },
  env: { LOG_LEVEL: 'warn', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
};
/** Every part that can be turned on. */
export const everything = {
  ...given,
  existingSecret: { name: 'payments', masterKeyPreviousKey: 'old-keys', caKey: 'ca.crt' },
  ingress: { enabled: true, host: 'pay.example.com', className: 'nginx', tlsSecret: 'pay-tls' },
  autoscaling: { enabled: true },
  priorityClassName: 'high',
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'payments', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  podLabels: { team: 'payments' },
  networkPolicy: { enabled: true },
  metrics: {
    serviceMonitor: { enabled: true },
    alerts: { enabled: true },
    dashboard: { enabled: true },
  },
  backup: { enabled: true, existingClaim: 'backups' },
};

export function documentsOf(values: object): Manifest[] {
  const { 'NOTES.txt': _notes, ...files } = renderChart(chartDir, values);
  return Object.values(files)
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => {
      assert.deepEqual([...document.errors, ...document.warnings], []);
      return document.toJS() ?? [];
    });
}

/** Of the deployment and of the job that migrates. */
export function podsOf(values: object): Manifest[] {
  return documentsOf(values).flatMap(({ spec }) => spec?.template?.spec ?? []);
}

/** The one document of a kind, by the end of its name if there are several. */
export function documentOf(values: object, kind: string, name = ''): Manifest {
  const found = documentsOf(values).filter(
    (document) => document.kind === kind && document.metadata.name === `shop${name}`,
  );
  assert.equal(found.length, 1, `${kind} shop${name}`);
  return found[0];
}
