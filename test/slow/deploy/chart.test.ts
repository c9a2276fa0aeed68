/** What the chart offers beyond the service itself: roles, accounts, network, metrics. Backups have a file of their own. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { parse } from 'yaml';
import { projectDir } from '../../../tools/harness/project.ts';
import {
  chartDir,
  documentOf,
  documentsOf,
  everything,
  given,
  type Manifest,
  podsOf,
} from '../../support/chart.ts';

const read = (file: string) => readFile(join(projectDir, file), 'utf8');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

test('an image is named by its digest if there is one, whatever the tag says', () => {
  const image = { repository: 'registry.example.com/payments', tag: '9.9.9', digest };
  const names = podsOf({ ...given, image }).map(({ containers }) => containers[0].image);
  assert.deepEqual(names, Array(2).fill(`registry.example.com/payments@${digest}`));
  const byTag = podsOf({ ...given, image: { ...image, digest: '' } });
  assert.equal(byTag[0].containers[0].image, 'registry.example.com/payments:9.9.9');
});

test('another role may migrate: its URL is in a secret that only the job has', () => {
  const values = { ...given, migrateJob: { existingSecret: 'payments-owner' } };
  const secretsOf = (pod: Manifest): string[] =>
    pod.volumes[0].projected.sources.map(
      ({ secret }: Manifest) => `${secret.name}:${secret.items[0].path}`,
    );
  const job = documentOf(values, 'Job', '-migrate').spec.template.spec;
  assert.deepEqual(secretsOf(job), ['payments-owner:database-url', 'payments:master-key']);
  const service = documentOf(values, 'Deployment').spec.template.spec;
  assert.deepEqual(secretsOf(service), ['payments:database-url', 'payments:master-key']);
});

test('further variables and volumes reach the service and the job, and cannot turn on migrations', () => {
  const extra = {
    extraEnv: [
      { name: 'TZ', valueFrom: { configMapKeyRef: { name: 'site', key: 'zone' } } },
      { name: 'MIGRATE', value: 'yes' },
    ],
    extraEnvFrom: [{ secretRef: { name: 'more' } }],
    extraVolumes: [{ name: 'certificates', configMap: { name: 'certificates' } }],
    extraVolumeMounts: [{ name: 'certificates', mountPath: '/certificates', readOnly: true }],
  };
  const pods = podsOf({ ...given, ...extra });
  assert.equal(pods.length, 2);
  for (const { containers, volumes } of pods) {
    const [{ env, envFrom, volumeMounts }] = containers;
    assert.deepEqual(
      env.filter(({ name }: Manifest) => name === 'TZ'),
      extra.extraEnv.slice(0, 1),
    );
    assert.deepEqual(envFrom, extra.extraEnvFrom);
    assert.deepEqual(volumes.slice(-1), extra.extraVolumes);
    assert.deepEqual(volumeMounts.slice(-1), extra.extraVolumeMounts);
  }
  const [container] = documentOf({ ...given, ...extra }, 'Deployment').spec.template.spec
    .containers;
  // Of two variables with one name, Kubernetes takes the last.
  assert.deepEqual(container.env.at(-1), { name: 'MIGRATE', value: 'no' });
});

test('the pods have an account of their own without a token, and the job has one before the release exists', () => {
  const annotations = { 'example.com/role': 'payments' };
  const values = { ...given, serviceAccount: { annotations } };
  const [service, job] = ['', '-migrate'].map((name) =>
    documentOf(values, 'ServiceAccount', name),
  ) as [Manifest, Manifest];
  for (const account of [service, job]) {
    assert.equal(account.automountServiceAccountToken, false);
    assert.equal(account.metadata.annotations['example.com/role'], 'payments');
  }
  const { metadata, spec } = documentOf(values, 'Job', '-migrate');
  assertBeforeJob(job.metadata, metadata);
  assert.equal(service.metadata.annotations['helm.sh/hook'], undefined);
  assert.equal(spec.template.spec.serviceAccountName, 'shop-migrate');
  const accountsOf = (serviceAccount: object) =>
    podsOf({ ...given, serviceAccount }).map((pod) => pod.serviceAccountName);
  assert.deepEqual(accountsOf({}), ['shop', 'shop-migrate']);
  assert.deepEqual(accountsOf({ name: 'tea' }), ['tea', 'tea-migrate']);
  assert.deepEqual(accountsOf({ create: false }), ['default', 'default']);
  assert.deepEqual(accountsOf({ create: false, name: 'tea' }), ['tea', 'tea']);
  const without = documentsOf({ ...given, serviceAccount: { create: false } });
  assert.ok(!without.some(({ kind }) => kind === 'ServiceAccount'));
});

test('a network policy lets in what uses the port, and out to names, the database and https', () => {
  const ingressFrom = [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }];
  const databaseTo = [{ ipBlock: { cidr: '10.1.0.0/16' } }];
  const extraEgress = [{ ports: [{ port: 4318, protocol: 'TCP' }] }];
  const databasePorts = [5432, 6432];
  const networkPolicy = { enabled: true, ingressFrom, databaseTo, databasePorts, extraEgress };
  const values = { ...everything, networkPolicy };
  const { ingress, egress } = documentOf(values, 'NetworkPolicy').spec;
  const [container] = documentOf(values, 'Deployment').spec.template.spec.containers;
  const [{ name: port }] = container.ports;
  assert.deepEqual(ingress, [{ ports: [{ port, protocol: 'TCP' }], from: ingressFrom }]);
  const tcp = (...ports: number[]) => ports.map((one) => ({ port: one, protocol: 'TCP' }));
  const names = { ports: [{ port: 53, protocol: 'UDP' }, ...tcp(53)] };
  const database = { ports: tcp(...databasePorts), to: databaseTo };
  assert.deepEqual(egress, [names, database, { ports: tcp(443) }, ...extraEgress]);

  for (const name of ['-migrate', '-backup']) {
    const { spec } = documentOf(values, 'NetworkPolicy', name);
    assert.deepEqual(spec.policyTypes, ['Ingress', 'Egress']);
    assert.equal(spec.ingress, undefined);
    assert.deepEqual(spec.egress, [names, database]);
  }
  const ofJob = documentOf(values, 'NetworkPolicy', '-migrate').metadata;
  assertBeforeJob(ofJob, documentOf(values, 'Job', '-migrate').metadata);
  const everywhere = documentOf(everything, 'NetworkPolicy').spec;
  assert.deepEqual(everywhere.ingress, [{ ports: [{ port, protocol: 'TCP' }] }]);
  assert.deepEqual(everywhere.egress[1], { ports: tcp(5432) });
});

test('every pod is selected by exactly one network policy', () => {
  const documents = documentsOf(everything);
  const templates = documents.flatMap(
    ({ spec }) => spec?.template ?? spec?.jobTemplate?.spec.template ?? [],
  );
  assert.equal(templates.length, 3);
  const selectors: Record<string, string>[] = documents
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec.podSelector.matchLabels);
  for (const { metadata } of templates) {
    const selecting = selectors.filter((selector) =>
      Object.entries(selector).every(([name, value]) => metadata.labels[name] === value),
    );
    assert.equal(selecting.length, 1, metadata.labels['app.kubernetes.io/name']);
  }
});

test('the monitor finds the service, under the name of the job that the alerts ask for', async () => {
  const { spec } = documentOf(everything, 'ServiceMonitor');
  const { metadata, spec: service } = documentOf(everything, 'Service');
  for (const [name, value] of Object.entries(spec.selector.matchLabels)) {
    assert.equal(metadata.labels[name], value);
  }
  assert.deepEqual(
    spec.endpoints.map(({ port, path }: Manifest) => [port, path]),
    [[service.ports[0].name, '/metrics']],
  );
  const [, job] = /up\{job="([^"]+)"\}/.exec(await read('ops/alerts.yml')) ?? [];
  assert.equal(metadata.labels[spec.jobLabel], job);
});

test('alerts and dashboard are those of ops/, with the labels that find them', async () => {
  const labels = { team: 'payments' };
  const metrics = {
    serviceMonitor: { enabled: true, labels },
    alerts: { enabled: true, labels },
    dashboard: { enabled: true },
  };
  const values = { ...everything, metrics };
  const rule = documentOf(values, 'PrometheusRule');
  assert.deepEqual(rule.spec, parse(await read('ops/alerts.yml')));
  const { data, metadata } = documentOf(values, 'ConfigMap', '-dashboard');
  assert.deepEqual(
    JSON.parse(data['payment-order-service.json']),
    JSON.parse(await read('ops/grafana-dashboard.json')),
  );
  assert.equal(metadata.labels.grafana_dashboard, '1');
  for (const { metadata: own } of [rule, documentOf(values, 'ServiceMonitor')])
    assert.equal(own.labels.team, 'payments');
});

test('the schema of the values refuses what would only fail in the cluster', async () => {
  const schema = Schema.Compile(
    JSON.parse(await read(`${chartDir}/values.schema.json`.slice(projectDir.length))),
  );
  const values = parse(await read(`${chartDir}/values.yaml`.slice(projectDir.length)));
  const fits = (name: string, value: unknown) =>
    schema.Check({
      ...values,
      [name]: Array.isArray(value) ? value : { ...values[name], ...(value as object) },
    });
  assert.ok(fits('image', { digest }));
  const refused = [
    ['image', { digest: 'latest' }],
    ['image', { digest: digest.slice(7) }],
    ['extraEnv', [{ value: 'nameless' }]],
    ['extraVolumeMounts', [{ name: 'certificates' }]],
    ['migrateJob', { existingSecret: { name: 'payments' } }],
    ['serviceAccount', { annotations: { count: 1 } }],
    ['networkPolicy', { databasePorts: [] }],
    ['networkPolicy', { databasePort: 5432 }],
    ['metrics', { serviceMonitors: {} }],
    ['backup', { keep: 0 }],
    ['backup', { image: '' }],
  ] as const;
  for (const [name, value] of refused) assert.ok(!fits(name, value), JSON.stringify([name, value]));
});

/** Hooks of a lower weight are there before those of a higher one, and go away with them. */
function assertBeforeJob(metadata: Manifest, job: Manifest): void {
  const [own, ofJob] = [metadata.annotations, job.annotations];
  for (const name of ['helm.sh/hook', 'helm.sh/hook-delete-policy'])
    assert.equal(own[name], ofJob[name]);
  assert.ok(Number(own['helm.sh/hook-weight']) < Number(ofJob['helm.sh/hook-weight'] ?? 0));
}
