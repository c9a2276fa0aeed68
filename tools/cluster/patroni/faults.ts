/** What happens to the cluster, one after the other, and how each of it is healed. */
import type { DatabaseCluster } from './cluster.ts';
import type { PatroniNode } from './node.ts';
import { clusterName } from './settings.ts';

export type Fault = {
  readonly name: string;
  readonly text: string;
  /** Another node leads afterwards. */
  readonly promotes: boolean;
  /** Resolves with what heals it, after the services have served again. */
  readonly happen: (cluster: DatabaseCluster, leader: PatroniNode) => Promise<() => Promise<void>>;
};

const nothing = async () => {};

export const faults: readonly Fault[] = [
  {
    name: 'switchover',
    text: 'planned switchover',
    promotes: true,
    happen: async (cluster, leader) => {
      const { name } = await cluster.getSynchronousStandby();
      const words = ['--leader', leader.name, '--candidate', name, '--force'];
      await succeed(cluster, 'switchover', clusterName, ...words);
      return nothing;
    },
  },
  {
    name: 'restart',
    text: 'restart of the leader',
    promotes: false,
    happen: async (cluster, leader) => {
      await succeed(cluster, 'restart', clusterName, leader.name, '--force');
      return nothing;
    },
  },
  {
    name: 'kill-postgres',
    text: 'kill -9 of the leading PostgreSQL',
    promotes: false,
    happen: async (_cluster, leader) => {
      await leader.kill('postgres');
      return nothing;
    },
  },
  {
    name: 'kill-node',
    text: 'kill -9 of PostgreSQL and Patroni of the leader',
    promotes: true,
    happen: async (_cluster, leader) => {
      await leader.kill('node');
      return async () => leader.start();
    },
  },
  {
    name: 'freeze-leader',
    text: 'the leader freezes',
    promotes: true,
    happen: async (_cluster, leader) => {
      await leader.freeze();
      return leader.thaw;
    },
  },
  {
    name: 'freeze-standby',
    text: 'the synchronous standby freezes',
    promotes: false,
    happen: async (cluster) => {
      const standby = await cluster.getSynchronousStandby();
      await standby.freeze();
      return standby.thaw;
    },
  },
  {
    name: 'cut-leader',
    text: 'the network of the leader is cut',
    promotes: true,
    happen: async (_cluster, leader) => {
      leader.network.cut();
      return async () => leader.network.mend();
    },
  },
  {
    name: 'kill-etcd',
    text: 'kill -9 of the leading member of etcd',
    promotes: false,
    happen: async ({ etcd }) => {
      const leads = await Promise.all(etcd.map((member) => member.isLeader()));
      const member = etcd[leads.indexOf(true)];
      if (!member) throw new Error('no member of etcd leads');
      await member.kill();
      return member.start;
    },
  },
];

async function succeed(cluster: DatabaseCluster, ...words: string[]): Promise<void> {
  const { code, stdout, stderr } = await cluster.control(...words);
  if (code !== 0) throw new Error(`patronictl ${words.join(' ')}: ${stdout}${stderr}`);
}
