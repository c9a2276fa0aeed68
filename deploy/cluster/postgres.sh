#!/bin/bash
# Starts a database server of compose.cluster.yaml as the primary or as its standby. The file /cluster/primary, which both
# servers see, names the primary. Only promote.sh changes it, so no server becomes the primary because it is started.
set -euo pipefail
trap 'exit 130' INT TERM

refuse() {
  echo "$NODE does not start: $1 See docs/deploy.md, section \"A cluster of containers\"." >&2
  exit 1
}

# The last file of a copy: one that was interrupted does not have it.
has_data() { [ -s "$PGDATA/global/pg_control" ]; }

copy_primary() {
  until pg_isready --quiet --host="$primary" --username=postgres; do sleep 1; done
  # In a folder of its own, so that a copy that was interrupted is started again.
  rm -rf "$PGDATA" "$PGDATA.copy"
  install --directory --owner=postgres --group=postgres --mode=700 "$PGDATA.copy"
  PGPASSWORD=$(cat /run/secrets/replication_password) gosu postgres pg_basebackup --pgdata="$PGDATA.copy" \
    --wal-method=stream --checkpoint=fast --write-recovery-conf \
    --dbname="host=$primary user=replicator application_name=standby"
  mv "$PGDATA.copy" "$PGDATA"
}

if [ ! -e /cluster/primary ] && [ "$NODE" = postgres-1 ]; then
  # The first start of all. The name is written first: an empty database is created once, and never in place of a lost one.
  echo "$NODE" > /cluster/primary
  exec docker-entrypoint.sh postgres
fi
until [ -s /cluster/primary ]; do sleep 1; done
primary=$(cat /cluster/primary)

if [ "$NODE" = "$primary" ]; then
  has_data || refuse 'it is the primary, and its data are missing.'
elif ! has_data; then
  copy_primary
elif [ ! -e "$PGDATA/standby.signal" ]; then
  refuse "it was the primary before $primary, and still has the data of that time."
fi
exec docker-entrypoint.sh postgres
