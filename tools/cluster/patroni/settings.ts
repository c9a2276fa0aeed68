/** What a node is told. Patroni reads YAML, of which JSON is a part. */
import type { Programs } from '../programs.ts';

export type NodeLayout = {
  readonly name: string;
  readonly dataFolder: string;
  readonly socketFolder: string;
  /** Where its programs listen. */
  readonly postgresPort: number;
  readonly restPort: number;
  /** Where others reach them: through the network of the node. */
  readonly outerPostgresPort: number;
  readonly outerRestPort: number;
  /** Where the node reaches etcd, through the same network. */
  readonly etcdPorts: readonly number[];
};

export const clusterName = 'orders';

/** A leader that does not renew its lock for so long is replaced. Patroni accepts nothing shorter. */
const leaderSeconds = 20;

/**
 * `synchronous_mode`: a commit waits for a standby, and only a standby that has it may be promoted. Without
 * `synchronous_mode_strict` a leader without standbys would commit alone, and losing it as well would lose answered work.
 */
const decisions = {
  ttl: leaderSeconds,
  loop_wait: 2,
  retry_timeout: 4,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      shared_buffers: '64MB',
      wal_keep_size: '256MB',
      // Replication over a dead network is noticed before Patroni decides.
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
    },
  },
};

const local = (port: number) => `127.0.0.1:${port}`;

export function patroniSettings(
  layout: NodeLayout,
  { postgresFolder, etcdInterface }: Pick<Programs, 'postgresFolder' | 'etcdInterface'>,
): string {
  const { name, postgresPort, restPort, outerPostgresPort, outerRestPort, etcdPorts } = layout;
  return JSON.stringify({
    scope: clusterName,
    name,
    restapi: { listen: local(restPort), connect_address: local(outerRestPort) },
    // As proxies: Patroni would otherwise ask the members for their addresses and go around the network of the node.
    [etcdInterface]: { hosts: etcdPorts.map(local), use_proxies: true },
    bootstrap: {
      dcs: decisions,
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: local(postgresPort),
      connect_address: local(outerPostgresPort),
      data_dir: layout.dataFolder,
      bin_dir: postgresFolder,
      pgpass: `${layout.socketFolder}/pgpass`,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: layout.socketFolder },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
    },
  });
}
