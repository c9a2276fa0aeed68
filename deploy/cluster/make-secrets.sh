#!/bin/sh
# Creates the secrets of compose.cluster.yaml in .secrets/, once: existing files are kept, because the databases were
# created with them. Keep a copy of master_key elsewhere: without it nobody can read the accounts' secrets.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p .secrets
# Others cannot enter the folder. The files themselves are mounted one by one, and the users in the containers read them.
chmod 700 .secrets
umask 022

make_secret() {
  [ -e ".secrets/$1" ] || od -An -N32 -tx1 /dev/urandom | tr -d ' \n' > ".secrets/$1"
}

make_secret master_key
make_secret postgres_password
make_secret replication_password
make_secret payments_password
# Each new connection goes to the server that is not a standby, so a promoted standby is found without a change.
[ -e .secrets/database_url ] ||
  printf 'postgres://payments:%s@postgres-1:5432,postgres-2:5432/payments' "$(cat .secrets/payments_password)" \
    > .secrets/database_url
