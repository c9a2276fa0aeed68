#!/bin/bash
# Starts a standby: copies the primary if there is no data yet, then follows it.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  export PGPASSWORD
  PGPASSWORD=$(cat /run/secrets/replication_password)
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  # A copy that was interrupted is started again.
  find "$PGDATA" -mindepth 1 -delete
  pg_basebackup --pgdata="$PGDATA" --wal-method=stream --checkpoint=fast --write-recovery-conf \
    --dbname="host=$PRIMARY_HOST port=5432 user=replicator application_name=standby"
  unset PGPASSWORD
fi
# Once it is promoted it works alone: without this it would wait for a standby of its own at every commit.
exec postgres -c listen_addresses='*' -c synchronous_standby_names=''
