/**
 * The Dockerfile and the compose files with Podman, and with the compose programs of Debian 12. Where no registry can be
 * reached, the base image is made from Debian's packages and from the Node.js and npm of this machine.
 *
 * CONTAINERS_CONF is passed on. It uses the volumes and the secrets of the compose files, and refuses to touch existing ones.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Closers, createClosers } from '../harness/closers.ts';
import { launch } from '../harness/launch.ts';
import { type Environment, projectDir } from '../harness/project.ts';
import { isReady, withoutKeepAlive } from '../harness/service.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { payDemoOrder } from './pay-demo-order.ts';
import { run } from './run.ts';

const url = 'http://127.0.0.1:8080';
/** HEALTHCHECK is part of this format only. */
const env: Environment = {
  BUILDAH_FORMAT: 'docker',
  HOME: '/root',
  CONTAINERS_CONF: process.env.CONTAINERS_CONF ?? '',
};
const project = 'pos-proof';
/** The base of the Dockerfile is pinned, and without a registry only the stand-in can have another name. */
const base = 'docker.io/library/node:24-slim';
const imageOptions = [
  '--pull=never',
  `--build-arg=NODE_IMAGE=${base}`,
  '--tag=payment-order-service:0.1.0',
];
const standIns = 'tools/deploy/stand-ins';

export async function provePodman(): Promise<string> {
  await refuseExisting();
  const closers = createClosers();
  try {
    const socket = await startPodman(closers);
    await makeImages();
    await run(['podman', 'build', ...imageOptions, '.'], env);
    const docker = { ...env, DOCKER_HOST: `unix://${socket}`, COMPOSE_DOCKER_CLI_BUILD: '0' };
    await withProject(['docker-compose', 'compose.yaml'], docker, payInContainers, 'demo');
    const seen: string[] = [];
    for (const [program, own] of [
      ['docker-compose', docker],
      ['podman-compose', env],
    ] as const) {
      const [, version] =
        /composer? version +([\d.]+)/.exec(await run([program, 'version'], own)) ?? [];
      seen.push(`${program} ${version} starts compose.yaml and compose.cluster.yaml`);
      await withProject([program, 'compose.yaml'], own, waitForAnswer);
      await withProject([program, 'compose.cluster.yaml'], own, waitForCluster);
    }
    const engine = (await run(['podman', '--version'], env)).trim();
    return [
      `${engine} builds the Dockerfile`,
      ...seen,
      'an order is paid with the profile demo of compose.yaml',
    ].join('\n  ');
  } finally {
    await closers.closeAll();
  }
}

const volumes = {
  one: ['payment-order-service_data'],
  cluster: ['postgres-1', 'postgres-2', 'cluster'].map((name) => `payment-order-cluster_${name}`),
};
const secretsDir = join(projectDir, '.secrets');

async function refuseExisting(): Promise<void> {
  if (existsSync(secretsDir)) throw new Error('.secrets/ exists: run this in another clone');
  const all = (await run(['podman', 'volume', 'ls', '--quiet'], env)).split('\n');
  const [existing] = [...volumes.one, ...volumes.cluster].filter((name) => all.includes(name));
  if (existing) throw new Error(`the volume ${existing} exists, and may have data of yours`);
}

/** The API that docker-compose uses. */
async function startPodman(closers: Closers): Promise<string> {
  const { path, remove } = await makeTemporaryFolder('pos-podman-');
  closers.add(remove);
  const socket = join(path, 'podman.sock');
  const service = launch(['podman', 'system', 'service', '--time=0', `unix://${socket}`], env);
  closers.add(() => service.end('SIGTERM'));
  return socket;
}

async function makeImages(): Promise<void> {
  if (!(await has(base))) await makeBaseImage();
  for (const [name, tag] of [
    ['haproxy', '3.2'],
    ['postgres', '18'],
  ]) {
    const image = `docker.io/library/${name}:${tag}`;
    if (await has(image)) continue;
    const file = `${standIns}/${name}.Containerfile`;
    await run(
      ['podman', 'build', '--pull=never', `--tag=${image}`, `--file=${file}`, standIns],
      env,
    );
  }
}

async function has(image: string): Promise<boolean> {
  return run(['podman', 'image', 'exists', image], env).then(
    () => true,
    () => false,
  );
}

async function makeBaseImage(): Promise<void> {
  const { path, remove } = await makeTemporaryFolder('pos-base-', 0o755);
  const root = join(path, 'root');
  try {
    await run(['debootstrap', '--variant=minbase', 'bookworm', root]);
    // `npm run` says where its own program is.
    const npm = join(process.env.npm_execpath ?? '', '../..');
    const local = join(root, 'usr/local');
    await mkdir(join(local, 'lib/node_modules'), { recursive: true });
    await cp(process.execPath, join(local, 'bin/node'), { dereference: true });
    await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
    const certificates = '/etc/ssl/certs/ca-certificates.crt';
    await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
    await cp(certificates, join(root, certificates));
    await mkdir(join(local, 'etc'), { recursive: true });
    await writeFile(join(local, 'etc/npmrc'), `cafile=${certificates}\n`);
    await run(['tar', '--directory', root, '--create', '--file', join(path, 'root.tar'), '.']);
    await run(['podman', 'import', join(path, 'root.tar'), base], env);
  } finally {
    await remove();
  }
}

type Compose = readonly [string, ...string[]];

/** Starts it, and removes it with its volumes and secrets. */
async function withProject(
  [program, ...files]: Compose,
  own: Environment,
  prove: () => Promise<void>,
  profile?: string,
): Promise<void> {
  const compose: Compose = [
    program,
    '-p',
    project,
    ...files.flatMap((file) => ['-f', file]),
    ...(profile ? ['--profile', profile] : []),
  ] as const;
  const isCluster = files.includes('compose.cluster.yaml');
  if (isCluster) await run(['sh', 'deploy/cluster/make-secrets.sh']);
  try {
    await run([...compose, 'up', '-d'], own);
    await prove();
  } finally {
    // Podman does not remove a container whose network another one uses: then the second one does.
    await run([...compose, 'down'], own).catch(() => undefined);
    await run([...compose, 'down'], own);
    await run(['podman', 'volume', 'rm', ...(isCluster ? volumes.cluster : volumes.one)], env);
    if (isCluster) await rm(secretsDir, { recursive: true });
  }
}

/** An order without a token is refused by the service, and 503 is what the proxy answers without one. */
async function waitForAnswer(): Promise<void> {
  await waitUntil('the service answers', () => isServed(), 120);
}

/** The proxy forgets the addresses of names that it cannot resolve after 30 seconds. */
async function waitForCluster(): Promise<void> {
  await waitForAnswer();
  await delay(45_000);
  if (!(await isServed())) throw new Error('the proxy has lost the services');
}

async function isServed(): Promise<boolean> {
  const reply = await fetch(`${url}/api/v3/order`, { headers: withoutKeepAlive }).catch(
    () => undefined,
  );
  await reply?.body?.cancel();
  return reply?.status === 401;
}

async function payInContainers(): Promise<void> {
  await waitUntil('the service is ready', () => isReady(url), 120);
  await payDemoOrder(
    await run(['podman', 'exec', `${project}_service_1`, 'cat', '/data/demo.env'], env),
  );
}
