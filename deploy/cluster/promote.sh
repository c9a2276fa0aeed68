#!/bin/bash
# Makes the standby in which it runs the primary. The other server must be stopped: two primaries would both be written to.
set -euo pipefail
primary=$(cat /cluster/primary)

if [ "$primary" != "$NODE" ]; then
  if pg_isready --quiet --host="$primary" --username=postgres; then
    echo "$primary is still running: stop it first." >&2
    exit 1
  fi
  # Before the promotion: from now on the former primary refuses to start with its old data.
  echo "$NODE" > /cluster/primary.new
  mv /cluster/primary.new /cluster/primary
fi
# There is no standby yet that could confirm a commit.
psql --username=postgres --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --output=/dev/null <<'SQL'
alter system reset synchronous_standby_names;
select pg_reload_conf();
select pg_promote() where pg_is_in_recovery();
SQL
echo "$NODE is the primary and works alone."
