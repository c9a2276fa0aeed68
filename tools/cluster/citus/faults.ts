/** What happens to the nodes, one after the other, and how each of it is healed. */
import type { CitusCluster } from './cluster.ts';
import type { CitusNode } from './node.ts';

export type CitusFault = {
  readonly name: string;
  readonly text: string;
  readonly chooseNode: (cluster: CitusCluster) => CitusNode;
  /** Resolves with what heals it, some time later. */
  readonly happen: (node: CitusNode) => Promise<() => Promise<void>>;
};

const kinds = {
  restart: async (node: CitusNode) => {
    await node.stop();
    await node.start();
    return async () => {};
  },
  kill: async (node: CitusNode) => {
    await node.kill();
    return node.start;
  },
  freeze: async (node: CitusNode) => {
    await node.freeze();
    return node.thaw;
  },
};

const words = { restart: 'restart', kill: 'kill -9', freeze: 'freeze' } as const;

export const citusFaults: readonly CitusFault[] = [
  ...faultsOf('worker', ({ workers }) => getFirst(workers)),
  ...faultsOf('coordinator', ({ coordinator }) => coordinator),
];

function faultsOf(where: string, chooseNode: CitusFault['chooseNode']): CitusFault[] {
  return (['restart', 'kill', 'freeze'] as const).map((kind) => ({
    name: `${kind}-${where}`,
    text: `${words[kind]} of ${where === 'worker' ? 'a worker' : 'the coordinator'}`,
    chooseNode,
    happen: kinds[kind],
  }));
}

function getFirst(workers: readonly CitusNode[]): CitusNode {
  const [worker] = workers;
  if (!worker) throw new Error('there is no worker');
  return worker;
}
