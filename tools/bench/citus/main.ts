/**
 * `CITUS_URL=… npm run bench:citus [-- --accounts 1000 --rounds 5]`: the same service on one PostgreSQL and on a Citus
 * cluster, in turn in one run. The plain database is on the coordinator's server, so that both have the same version and
 * settings. Prints ratios: what one request costs, and what two processes serve with many accounts.
 */
import { parseArgs } from 'node:util';
import { measure, type NextRequest } from '../load.ts';
import { medianOf } from '../median.ts';
import { type Kind, kinds, prepare } from './kinds.ts';
import { openStage, type Stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
  },
});
const accounts = Number(values.accounts);
const rounds = Number(values.rounds);
/** Longer than several batches of a cluster whose nodes share two cores. */
const seconds = 5;
/** Of all processes together. */
const connections = 64;
/** More than are sent in that time. */
const sentMax = { PostgreSQL: 15_000, Citus: 3_000 };

type Figures = Record<Stage['what'], number[]>;

const plain = await openStage('PostgreSQL', accounts);
const citus = await openStage('Citus', accounts);
try {
  for (const kind of kinds) {
    console.log(lineOf(kind, 'ms a request, alone', await compare((stage) => costOf(stage, kind))));
  }
  for (const kind of kinds) {
    const served = await compare((stage) => throughputOf(stage, kind));
    console.log(lineOf(kind, `requests/s of two processes, ${accounts} accounts`, served));
  }
} finally {
  await plain.close();
  await citus.close();
}

async function compare(measureStage: (stage: Stage) => Promise<number>): Promise<Figures> {
  const figures: Figures = { PostgreSQL: [], Citus: [] };
  // The first round warms both up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const stage of [plain, citus]) {
      const figure = await measureStage(stage);
      if (round > 0) figures[stage.what].push(figure);
    }
  }
  return figures;
}

/** The time of a request when one client sends them one after the other, for one account. */
async function costOf(stage: Stage, kind: Kind): Promise<number> {
  const next = await prepare(stage, kind, stage.shops.slice(0, 1), sentMax[stage.what] / 2);
  return 1000 / (await perSecond(stage.services.slice(0, 1), next, 1));
}

async function throughputOf(stage: Stage, kind: Kind): Promise<number> {
  const next = await prepare(stage, kind, stage.shops, sentMax[stage.what]);
  return perSecond(stage.services, next, connections);
}

async function perSecond(
  services: Stage['services'],
  next: NextRequest,
  connectionsOfAll: number,
): Promise<number> {
  const measured = await Promise.all(
    services.map(({ baseUrl, pid }) =>
      measure({ url: baseUrl, pid }, next, {
        connections: connectionsOfAll / services.length,
        seconds,
      }),
    ),
  );
  const refused = measured.reduce((sum, one) => sum + one.refused, 0);
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  return measured.reduce((sum, one) => sum + one.perSecond, 0);
}

function lineOf(kind: Kind, unit: string, { PostgreSQL, Citus }: Figures): string {
  const ratios = Citus.map((figure, round) => figure / (PostgreSQL[round] ?? 1));
  const texts = [medianOf(PostgreSQL), medianOf(Citus)].map((figure) =>
    figure < 100 ? figure.toFixed(2) : figure.toFixed(0),
  );
  return `${kind}: ${texts.join(' and ')} ${unit}; ratio ${medianOf(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}
