#!/bin/bash
# Runs once, when the database of the primary is created: roles, the database of the service, and replication.
set -euo pipefail
replication_password=$(cat /run/secrets/replication_password)
payments_password=$(cat /run/secrets/payments_password)

psql --username=postgres --no-psqlrc --quiet --set=ON_ERROR_STOP=1 \
  --set=replication="$replication_password" --set=payments="$payments_password" <<'SQL'
create role replicator login replication password :'replication';
create role payments login password :'payments';
create database payments owner payments;
alter system set wal_keep_size = '1GB';
-- Takes effect at the next start, so the statements above do not wait for a standby. From then on every commit does.
alter system set synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
