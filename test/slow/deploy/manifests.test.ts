/** The files of deploy/ and the compose files agree with the program: settings, ports, paths, times. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { parse } from 'yaml';
import { limits } from '../../../src/domain/limits.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import { readConfig } from '../../../src/process/config.ts';
import { contains, networksOf } from '../../../src/security/networks.ts';
import { projectDir } from '../../../tools/harness/project.ts';
import {
  chartDir,
  documentsOf,
  everything,
  given,
  type Manifest,
  podsOf,
} from '../../support/chart.ts';
import { readDockerfile, readEnv, valuesOf } from '../../support/dockerfile.ts';
import { renderChart } from '../../support/render-chart.ts';
import { listServedPaths } from '../../support/served-paths.ts';
import { listSettings } from '../../support/settings.ts';
import { startTestService } from '../../support/test-service.ts';

const read = (file: string) => readFile(join(projectDir, file), 'utf8');
const { version } = JSON.parse(await read('package.json'));
const final = (await readDockerfile()).at(-1);
const image = readEnv(final);
const compose = parse(await read('compose.yaml'));
const cluster = parse(await read('compose.cluster.yaml'), { merge: true });
const unit = await read('deploy/systemd/payment-order-service.service');

const settings = await listSettings();
/** Read by Node.js and the C library. */
const ofPlatform = ['NODE_ENV', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX'];
/** Values of the chart that were written before the setting was renamed. */
const formerNames = ['PROVIDER_ASK_SECONDS'];
const known = new Set([...settings, ...ofPlatform, ...formerNames]);

const publicPrefixes = ['/api', '/checkout', '/dashboard', '/l', '/pay'];
/** Pages name their icon below /checkout, so that a proxy need not expose /favicon.ico. */
const privatePaths = ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/favicon.ico'];

test('every variable that a manifest sets is one that the program reads', async () => {
  const services = [
    compose.services.service,
    cluster.services['service-1'],
    cluster.services['service-2'],
  ];
  const inCompose = services.flatMap(({ environment }) => Object.keys(environment));
  const inUnit = [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, pairs = '']) =>
    pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
  );
  const inChart = podsOf(everything).flatMap((pod) =>
    pod.containers[0].env.map(({ name }: { name: string }) => name),
  );
  const all = [...Object.keys(image), ...inCompose, ...inUnit, ...inChart];
  assert.ok(all.length > 30);
  assert.deepEqual(
    all.filter((name) => !known.has(name)),
    [],
  );
});

test('every setting can be set in the chart, has a place of its own there, or is for the embedded mode', async () => {
  const { properties } = JSON.parse(
    await read('deploy/helm/payment-order-service/values.schema.json'),
  );
  const [{ enum: inEnv }] = properties.env.propertyNames.anyOf;
  const secrets = ['DATABASE_URL', 'MASTER_KEY', 'MASTER_KEY_PREVIOUS'];
  const own = [
    'HOST',
    'PORT',
    'PUBLIC_URL',
    'MIGRATE',
    'DATA_DIR',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'TRUSTED_PROXIES',
  ];
  const others = [...own, ...secrets, ...secrets.map((name) => `${name}_FILE`)];
  assert.deepEqual(
    inEnv.filter((name: string) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    settings.filter((name) => !inEnv.includes(name) && !others.includes(name)),
    [],
  );
});

test('each way to deploy trusts the proxies of its network, and whoever else is in it is named in a warning', async () => {
  const ofPods = podsOf(everything).map(
    ({ containers: [{ env }] }) =>
      env.find(({ name }: { name: string }) => name === 'TRUSTED_PROXIES').value,
  );
  const services = [compose.services.service, cluster.services['service-1']];
  const values = [...ofPods, ...services.map(({ environment }) => environment.TRUSTED_PROXIES)];
  // The addresses that proxies have: bridges of Docker, the usual networks of pods.
  const ofDocker = ['172.17.0.1', '172.31.0.2', '192.168.16.3'];
  const peers = [['10.42.0.7', '192.168.3.4', '100.64.1.2'], ofDocker, ofDocker];
  for (const [index, value] of values.slice(1).entries()) {
    const text = value.replace(/^\$\{TRUSTED_PROXIES:-(.*)\}$/, '$1');
    const networks = networksOf(readConfig({ TRUSTED_PROXIES: text }).trustedProxies);
    for (const peer of peers[index] ?? []) assert.ok(contains(networks, peer), `${peer} ${text}`);
    assert.ok(!contains(networks, '203.0.113.9'), text);
  }
  const none = podsOf({ ...given, trustedProxies: [] })[0].containers[0].env;
  assert.ok(!none.some(({ name }: { name: string }) => name === 'TRUSTED_PROXIES'));
  const chartValues = 'deploy/helm/payment-order-service/values.yaml';
  for (const file of ['compose.yaml', 'compose.cluster.yaml', chartValues, 'docs/deploy.md']) {
    const words = (await read(file)).replaceAll(/\s+(?:# )?/g, ' ');
    assert.match(words, /can claim any address/, file);
  }
});

test('the chart renders to valid YAML of the kinds that it promises, with few values and with all', () => {
  const kindsOf = (values: object) =>
    documentsOf(values)
      .map(({ kind }) => kind)
      .sort();
  const always = [
    'Deployment',
    'Job',
    'PodDisruptionBudget',
    'Service',
    'ServiceAccount',
    'ServiceAccount',
  ];
  assert.deepEqual(kindsOf(given), always);
  assert.deepEqual(
    kindsOf(everything),
    [
      ...always,
      'ConfigMap',
      'CronJob',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PrometheusRule',
      'NetworkPolicy',
      'NetworkPolicy',
      'NetworkPolicy',
      'ServiceMonitor',
    ].sort(),
  );
  assert.throws(() => documentsOf({ ...given, publicUrl: '' }), /publicUrl is missing/);
  assert.throws(
    () => documentsOf({ ...given, existingSecret: { name: '' } }),
    /existingSecret.name is missing/,
  );
  const grace = { preStopSeconds: 20, terminationGracePeriodSeconds: 30 };
  assert.throws(() => documentsOf({ ...given, ...grace }), /terminationGracePeriodSeconds must be/);
  assert.ok(documentsOf({ ...given, ...grace, terminationGracePeriodSeconds: 31 }));
  assert.match(renderChart(chartDir, given)['NOTES.txt'] ?? '', /deployment\/shop/);
});

test('the values of the chart fit its schema, which refuses names that do not exist', async () => {
  const schema = Schema.Compile(
    JSON.parse(await read('deploy/helm/payment-order-service/values.schema.json')),
  );
  const values = parse(await read('deploy/helm/payment-order-service/values.yaml'));
  const fits = (candidate: unknown): boolean => schema.Check(candidate);
  assert.ok(fits(values));
  assert.ok(
    fits({
      ...values,
      ...given,
      existingSecret: { ...values.existingSecret, name: 'payments' },
    }),
  );
  const refused = [
    { replicas: 2 },
    { env: { LOG_LEVLE: 'warn' } },
    { env: { MASTER_KEY: 'ab' } },
    { env: { WORKERS: 2 } },
    { publicUrl: 'pay.example.com' },
    { terminationGracePeriodSeconds: 5 },
    { trustedProxies: '10.0.0.0/8' },
    { env: { TRUSTED_PROXIES: '10.0.0.0/8' } },
  ];
  for (const wrong of refused) {
    assert.ok(!fits({ ...values, ...wrong }), JSON.stringify(wrong));
  }
});

test('pods run without rights, with all secrets as files, and at least two of them', () => {
  const pods = [...podsOf(given), ...podsOf(everything)];
  assert.equal(pods.length, 4);
  for (const { securityContext, automountServiceAccountToken, containers, volumes } of pods) {
    const [{ securityContext: own, env, volumeMounts, image: name }] = containers;
    const [uid] = (valuesOf(final, 'USER')[0] ?? '').split(':');
    assert.equal(securityContext.runAsNonRoot, true);
    assert.equal(String(securityContext.runAsUser), uid);
    assert.deepEqual(securityContext.seccompProfile, { type: 'RuntimeDefault' });
    assert.equal(automountServiceAccountToken, false);
    assert.deepEqual(own, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.equal(name, `payment-order-service:${version}`);
    const [mount] = volumeMounts;
    const files = secretFilesOf(volumes).map(
      ({ path }: { path: string }) => `${mount.mountPath}/${path}`,
    );
    const named = env.filter(({ name: variable }: { name: string }) => variable.endsWith('_FILE'));
    // The URL of the database names the certificate.
    assert.deepEqual(
      named.map(({ value }: { value: string }) => value),
      files.filter((file: string) => !file.endsWith('/ca.crt')),
    );
    assert.deepEqual(
      env.filter(({ valueFrom }: { valueFrom?: object }) => valueFrom),
      [],
    );
  }
  const mounted = podsOf(everything).map(({ volumes }) => secretFilesOf(volumes));
  const more = [
    { key: 'old-keys', path: 'master-key-previous' },
    { key: 'ca.crt', path: 'ca.crt' },
  ];
  for (const items of mounted) assert.deepEqual(items.slice(2), more);
  const [deployment] = documentsOf(given).filter(({ kind }) => kind === 'Deployment');
  assert.equal(deployment.spec.replicas, 2);
  const [container] = deployment.spec.template.spec.containers;
  assert.deepEqual(container.env.at(-1), { name: 'MIGRATE', value: 'no' });
});

test('one pod is moved at a time, and what selects pods selects those of the service and no job', () => {
  const documents = documentsOf(everything);
  const only = (wanted: string) => documents.find(({ kind }) => kind === wanted);
  const deployment = only('Deployment');
  const budget = only('PodDisruptionBudget');
  assert.equal(budget.spec.maxUnavailable, 1);
  const selectors: Record<string, string>[] = [
    budget.spec.selector.matchLabels,
    only('Service').spec.selector,
    deployment.spec.selector.matchLabels,
    deployment.spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  ];
  const selects = (selector: Record<string, string>, { template }: Manifest) =>
    Object.entries(selector).every(([name, value]) => template.metadata.labels[name] === value);
  for (const selector of selectors) {
    assert.ok(Object.keys(selector).length > 0);
    assert.ok(selects(selector, deployment.spec));
    assert.ok(!selects(selector, only('Job').spec));
  }
});

test('ports agree, and everything waits longer for the end of the service than it takes', () => {
  const port = Number(image.PORT);
  assert.deepEqual(valuesOf(final, 'EXPOSE'), [image.PORT]);
  const [published] = compose.services.service.ports;
  assert.equal(published, `127.0.0.1:${port}:${port}`);
  const [deployment] = documentsOf(given).filter(({ kind }) => kind === 'Deployment');
  const { containers, terminationGracePeriodSeconds } = deployment.spec.template.spec;
  const [{ ports, env, lifecycle }] = containers;
  assert.equal(ports[0].containerPort, port);
  assert.equal(env.find(({ name }: { name: string }) => name === 'PORT').value, image.PORT);
  const endSeconds = limits.shutdownMsMax / 1_000;
  const preStopSeconds = Number(lifecycle.preStop.exec.command[1]);
  assert.ok(terminationGracePeriodSeconds > preStopSeconds + endSeconds);
  for (const { stop_grace_period: seconds } of [
    compose.services.service,
    cluster.services['service-1'],
  ]) {
    assert.ok(Number.parseInt(seconds, 10) > endSeconds);
  }
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > endSeconds);
});

test('the compose files drop all rights, keep their root file systems read-only and state the version', async () => {
  const services = [
    compose.services.service,
    compose.services.simulator,
    cluster.services['service-1'],
    cluster.services['service-2'],
  ];
  for (const service of services) {
    assert.equal(service.read_only, true);
    assert.deepEqual(service.cap_drop, ['ALL']);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
    assert.ok(service.image.startsWith(`payment-order-service:${version}`));
  }
  const script = await read('deploy/cluster/make-secrets.sh');
  for (const [name, { file }] of Object.entries<{ file: string }>(cluster.secrets)) {
    assert.equal(file, `./.secrets/${name}`);
    assert.ok(
      script.includes(`make_secret ${name}\n`) || script.includes(`> .secrets/${name}\n`),
      name,
    );
  }
  assert.match(await read('.gitignore'), /^\.secrets\/$/m);
  const { appVersion } = parse(await read('deploy/helm/payment-order-service/Chart.yaml'));
  assert.equal(appVersion, version);
});

test('the compose files work with the older compose programs, and with Podman, which finds no short names', () => {
  for (const file of [compose, cluster]) {
    assert.ok(!('name' in file), 'docker-compose 1.29 refuses a name of the project');
    const volumes = Object.values<{ name: string }>(file.volumes ?? {});
    assert.ok(volumes.every(({ name }) => name.startsWith('payment-order-')));
    const services = Object.values<{ image: string }>(file.services);
    const foreign = services.flatMap(({ image: name = '' }) =>
      name === '' || name.startsWith('payment-order-service:') ? [] : name,
    );
    assert.ok(foreign.every((name) => name.startsWith('docker.io/library/')));
  }
});

test('the systemd unit starts the service with the flags of npm start, as a user without rights', async () => {
  const { scripts } = JSON.parse(await read('package.json'));
  const [, own = ''] = scripts.start.split(' node ');
  assert.ok(unit.includes(`/node_modules/.bin/node ${own}\n`));
  for (const line of [
    'DynamicUser=yes',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=',
  ]) {
    assert.ok(unit.split('\n').includes(line), line);
  }
  // In this order: the embedded database gives its files an owner, and "chown" is one of the privileged calls.
  const filters = [...unit.matchAll(/^SystemCallFilter=(.+)$/gm)].map(([, calls]) => calls);
  assert.deepEqual(filters, ['@system-service', '~@privileged @resources', '@chown']);
  assert.match(unit, /^LoadCredential=master\.key:/m);
  assert.match(unit, /^Environment=MASTER_KEY_FILE=%d\/master\.key$/m);
});

test('proxies expose every public path that is served, and no other', async () => {
  const service = await startTestService();
  const served = await listServedPaths(service);
  const isPrivate = (path: string) =>
    privatePaths.some((one) => path === one || path.startsWith(`${one}/`));
  const isPublic = (path: string) =>
    path === '/' || publicPrefixes.some((one) => path === one || path.startsWith(`${one}/`));
  assert.deepEqual(
    served.filter((path) => isPrivate(path) === isPublic(path)),
    [],
    'each path is either',
  );
  const probed = podsOf(given).flatMap(
    ({ containers: [{ startupProbe, readinessProbe, livenessProbe }] }) =>
      [startupProbe, readinessProbe, livenessProbe].flatMap((probe) => probe?.httpGet.path ?? []),
  );
  assert.deepEqual(probed, ['/healthz', '/readyz', '/healthz']);
  const haproxy = await read('deploy/cluster/haproxy.cfg');
  const [, checked = ''] = /http-check send meth GET uri (\S+)/.exec(haproxy) ?? [];
  assert.ok([...probed, checked].every((path) => served.includes(path)));

  const matchers = [
    exposedByNginx(await read('deploy/proxy/nginx.conf')),
    exposedByHaproxy(haproxy),
    exposedByIngress(),
  ];
  for (const isExposed of matchers) {
    for (const path of served) assert.equal(isExposed(path), isPublic(path), path);
    for (const path of ['/dashboardx', '/apix', '/lx', '/nothing'])
      assert.ok(!isExposed(path), path);
  }
});

test('proxies let bodies of every size through that the service accepts, and wait longer than it does', async () => {
  const nginx = await read('deploy/proxy/nginx.conf');
  const haproxy = await read('deploy/cluster/haproxy.cfg');
  const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  assert.ok(numberIn(nginx, /client_max_body_size (\d+)k;/) * 1024 > limits.bodyBytesMax);
  assert.ok(numberIn(haproxy, /content-length\) gt (\d+)/) > limits.bodyBytesMax);
  const waitSeconds =
    httpLimits.admissionWaitMsMax / 1_000 + paymentLimits.firstAnswerMsMax / 1_000;
  for (const seconds of [
    numberIn(nginx, /proxy_read_timeout (\d+)s;/),
    numberIn(haproxy, /timeout server (\d+)s/),
  ]) {
    assert.ok(seconds > waitSeconds && seconds > paymentLimits.returnWaitSeconds);
  }
  const idle = [
    numberIn(nginx, /keepalive_timeout (\d+)s;/),
    numberIn(haproxy, /pool-purge-delay (\d+)s/),
  ];
  assert.ok(idle.every((seconds) => seconds * 1_000 < httpLimits.keepAliveMs));
});

test('nginx logs no request line, which would contain tokens', async () => {
  const [, ...servers] = (await read('deploy/proxy/nginx.conf')).split(/^server \{$/m);
  assert.equal(servers.length, 3);
  for (const server of servers) {
    assert.match(server, /^ {2}access_log (off|\S+ payment_order_service);$/m);
    assert.match(server, /^ {2}error_log \S+ crit;$/m);
  }
});

test('docs/deploy.md names every file of deploy/', async () => {
  const page = await read('docs/deploy.md');
  const files = globSync('deploy/{cluster,image,proxy,systemd}/*', { cwd: projectDir });
  assert.deepEqual(
    [
      ...files,
      'deploy/helm/payment-order-service',
      'compose.yaml',
      'compose.cluster.yaml',
      'Dockerfile',
    ].filter((file) => !page.includes(file)),
    [],
  );
});

function secretFilesOf([{ projected }]: Manifest): { key: string; path: string }[] {
  return projected.sources.flatMap(({ secret }: Manifest) => secret.items);
}

type IsExposed = (path: string) => boolean;

/** An exact location, or a prefix that ends with a slash; the last one refuses everything else. */
function exposedByNginx(text: string): IsExposed {
  const [, server = ''] = text.split('listen 443 ssl;');
  // Those that begin with @ are no paths: they answer errors.
  const found = [...server.matchAll(/^ {2}location (= )?([^@\s]+) \{((?:[^{}]|\{[^}]*\})*)\}/gm)];
  const locations = found.map(([, exact, path = '', body = '']) => ({ exact, path, body }));
  assert.equal(locations.at(-1)?.body.trim(), 'return 404;');
  const proxied = locations.filter(({ body }) => body.includes('proxy_pass'));
  assert.equal(proxied.length, locations.length - 1);
  return (wanted) =>
    proxied.some(({ exact, path }) => (exact ? wanted === path : wanted.startsWith(path)));
}

function exposedByHaproxy(text: string): IsExposed {
  const wordsOf = (kind: string) =>
    [...text.matchAll(new RegExp(`^ {2}acl (?:public|root) ${kind} (.+)$`, 'gm'))].flatMap(
      ([, words = '']) => words.split(' '),
    );
  const [exact, prefixes] = [wordsOf('path'), wordsOf('path_beg')];
  assert.match(text, /http-request deny deny_status 404 unless public or root with_token\n/);
  return (wanted) => exact.includes(wanted) || prefixes.some((prefix) => wanted.startsWith(prefix));
}

function exposedByIngress(): IsExposed {
  const [ingress] = documentsOf(everything).filter(({ kind }) => kind === 'Ingress');
  const paths: { path: string; pathType: string }[] = ingress.spec.rules[0].http.paths;
  return (wanted) =>
    paths.some(
      ({ path, pathType }) =>
        wanted === path || (pathType === 'Prefix' && wanted.startsWith(`${path}/`)),
    );
}
