/**
 * What the service depends on in a session of the database, and sets itself: a server may have other defaults, and so
 * may the operator's URL. Contract 10.5.
 */
import { databaseLimits } from './limits.ts';

/** Requests are served by many short statements. Maintenance runs few statements, which may take longer. */
export type PoolPurpose = 'requests' | 'maintenance';

type Settings = Readonly<Record<string, string | number>>;

/** A pooler remembers these for each of its clients, because the server reports them. */
const reported: Settings = { datestyle: 'ISO, MDY', timezone: 'UTC' };

const common: Settings = {
  default_transaction_isolation: 'read committed',
  // Long migrations would end with it; statements have a timeout of their own. PostgreSQL 17 has it, earlier ones not.
  transaction_timeout: 0,
};

/** A reply means that a crash loses nothing. An operator may choose more than that, but not less. */
const durability = `case current_setting('synchronous_commit')
                    when 'remote_apply' then 'remote_apply' else 'on' end`;

const byPurpose: Readonly<Record<PoolPurpose, Settings>> = {
  requests: {
    statement_timeout: databaseLimits.statementMsMax,
    idle_in_transaction_session_timeout: databaseLimits.statementMsMax,
    lock_timeout: 0,
    // On Citus, rows are locked on the workers, so `set local lock_timeout` must reach them. Maintenance uses it only for
    // changes of the schema, and there a worker would receive the whole text in which such a command is found.
    'citus.propagate_set_commands': 'local',
    // Every query finds a few rows by a key. A plan that was made and cached while a table was small would scan the
    // whole table until its statistics are updated.
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    enable_material: 'off',
  },
  maintenance: {
    statement_timeout: databaseLimits.maintenanceStatementMsMax,
    idle_in_transaction_session_timeout: databaseLimits.maintenanceStatementMsMax,
    // A longer statement must not mean a longer wait for a row that a request has locked.
    lock_timeout: databaseLimits.statementMsMax,
    // Plans are made for the values at hand and never cached, so the planner may choose freely.
    plan_cache_mode: 'force_custom_plan',
  },
};

/**
 * Sets them and describes the server, in one round trip. Behind a pooler the server process is another one than the
 * pooler announced and is shared with others, so most settings end with the statement.
 */
export function describeSession(purpose: PoolPurpose, announcedPid: number): string {
  const isPooled = `pg_backend_pid() <> ${Math.trunc(announcedPid)}`;
  const list = [...setConfigs(reported, 'false'), ...setOwn(purpose, isPooled)].join(', ');
  return `select ${isPooled} as is_pooled, pg_is_in_recovery() as is_standby,
                 current_setting('transaction_read_only') = 'on' as is_read_only,
                 current_setting('citus.shard_count', true) is not null as has_workers, ${list}`;
}

/** For the transaction that it is part of. */
export function setForTransaction(purpose: PoolPurpose): string {
  return `select ${setOwn(purpose, 'true').join(', ')}`;
}

function setOwn(purpose: PoolPurpose, isLocal: string): string[] {
  return [
    ...setConfigs({ ...common, ...byPurpose[purpose] }, isLocal),
    `set_config('synchronous_commit', ${durability}, ${isLocal})`,
  ];
}

/** Leaves out those that the server does not know. */
function setConfigs(settings: Settings, isLocal: string): string[] {
  return Object.entries(settings).map(
    ([name, value]) =>
      `case when current_setting('${name}', true) is not null
            then set_config('${name}', '${value}', ${isLocal}) end`,
  );
}

/**
 * How the connections of a process are shared between requests and maintenance. Contract 15.2. Maintenance has at least
 * two: the lease of the sweep is extended on one while the sweep uses another.
 */
export function shareConnections(connectionsMax: number): Readonly<Record<PoolPurpose, number>> {
  const share = Math.max(2, Math.ceil(connectionsMax / 6));
  const maintenance = Math.min(databaseLimits.maintenanceConnectionsMax, share);
  return { maintenance, requests: connectionsMax - maintenance };
}
