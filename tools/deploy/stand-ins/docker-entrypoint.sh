#!/bin/bash
# What the entry point of the image "postgres" does, as far as deploy/cluster/ needs it.
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  install --directory --owner=postgres --mode=700 "$PGDATA"
  exec gosu postgres "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust > /dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --silent --options="-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do bash "$script"; done
  pg_ctl --wait --silent --mode=fast stop
fi
exec "$@" -c 'listen_addresses=*'
