/** What every run has, whatever runs its database: services under load, and the judgement at the end. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closers } from '../harness/closers.ts';
import { runJsonCommand } from '../harness/command-line.ts';
import type { Environment } from '../harness/project.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { CommonFigures } from './figures.ts';
import { judge, type Verdict } from './judge.ts';
import type { Load, LoadShop } from './load.ts';
import type { ClusterService } from './services.ts';
import type { Watch } from './watch.ts';

export type Stage = {
  readonly services: readonly ClusterService[];
  readonly shops: readonly LoadShop[];
  /** For the command line. */
  readonly env: Environment;
  readonly load: Load;
  readonly watch: Watch;
};

/** The options that the runs on Patroni and on Citus share. */
export type RunOptions<Fault> = {
  readonly faults: readonly Fault[];
  /** Orders that are begun in a second at each service. */
  readonly perSecond: number;
  /** The load before a fault, and at least as long after it. */
  readonly seconds: number;
  readonly closers: Closers;
  /** Where the logs of the nodes and services are written at the end; undefined: nowhere. */
  readonly logFolder: string | undefined;
  readonly onProgress: (line: string) => void;
};

export type RunResult<Figures extends CommonFigures> = {
  readonly faults: readonly Figures[];
  /** Everything that was answered 2xx, at the end of the run. */
  readonly creates: number;
  readonly webhooks: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Calls that were not answered 2xx in the end. */
  readonly unanswered: readonly string[];
  readonly verified: { readonly orders: number; readonly breaches: readonly unknown[] };
};

/** Longer than a server that hangs is waited for, and than its successor needs. */
export const servingSecondsMax = 120;

/** Each service has answered a create and a webhook of each of these shops 2xx from now on. */
export async function servingAgain(
  { load, services }: Stage,
  shops: readonly (LoadShop | 'any')[],
): Promise<void> {
  const from = load.answers().length;
  const isServing = (name: string, shop: LoadShop | 'any') => {
    const good = load
      .answers()
      .slice(from)
      .filter(({ service, status }) => service === name && status < 300 && status > 0)
      .filter(({ accountId }) => shop === 'any' || accountId === shop.accountId);
    return (['create', 'webhook'] as const).every((wanted) =>
      good.some(({ kind }) => kind === wanted),
    );
  };
  await waitUntil(
    'every service serves',
    () => services.every(({ name }) => shops.every((shop) => isServing(name, shop))),
    servingSecondsMax,
  );
}

/** Where each service's output ends now. */
export function markOutputs({ services }: Stage): readonly number[] {
  return services.map(({ output }) => output().length);
}

/** Since the marks. An unavailable database is logged too, and is no defect. */
export function listDefects({ services }: Stage, marks: readonly number[]): string[] {
  const isDefect = (line: string) =>
    /"level":"(error|fatal)"/.test(line) && !line.includes('"code":"SERVICE_UNAVAILABLE"');
  return services.flatMap(({ output }, index) =>
    output().slice(marks[index]).split('\n').filter(isDefect),
  );
}

/** Of what was answered 2xx from this moment on. */
export function judgeSince({ services, load }: Stage, from: number): Promise<Verdict> {
  const entries = load.ledger().filter(({ at }) => at >= from);
  return judge(getFirst(services), entries);
}

export async function end({
  load,
  services,
  env,
}: Stage): Promise<Omit<RunResult<CommonFigures>, 'faults'>> {
  const unanswered = await load.stop();
  const ledger = load.ledger();
  const verdict = await judge(getFirst(services), ledger);
  const verified = (await runJsonCommand(['verify'], env)) as unknown as {
    readonly orders: number;
    readonly breaches: readonly unknown[];
  };
  const webhooks = ledger.filter(({ isPaid }) => isPaid).length;
  const extra = verified.orders - ledger.length;
  const doubled = extra === 0 ? verdict.doubled : [...verdict.doubled, `${extra} orders too many`];
  return { creates: ledger.length, webhooks, lost: verdict.lost, doubled, unanswered, verified };
}

export async function writeLogs(
  sources: readonly { readonly name: string; readonly output: () => string }[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, output } of sources) await writeFile(join(folder, `${name}.log`), output());
}

function getFirst(services: readonly ClusterService[]): ClusterService {
  const [service] = services;
  if (!service) throw new Error('there is no service');
  return service;
}
