#!/bin/sh
# Removes from node_modules what no process reads while the service runs. Licences stay. The Dockerfile runs it after the
# packages are installed; test/slow/deploy/image.test.ts runs the service on what is left.
set -eu
cd node_modules

# The image has a Node.js already, and no program of a package is started by its name.
rm -rf node .bin payment-order-service-openapi-tools

# Tests and documents, where a package has them at its top; deeper folders of these names may be code.
find . -name package.json -type f | while read -r file; do
  for name in .github bench benchmark benchmarks doc docs example examples spec test tests __tests__; do
    rm -rf "${file%/*}/$name"
  done
done

# What only people and compilers read. Node.js runs no TypeScript in packages.
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete
# Some packages have their licence in the README only.
find . -type f \( -iname '*.md' -o -iname '*.markdown' \) ! -iname 'licen[cs]e*' ! -iname 'notice*' \
  ! -exec grep -qi 'permission is hereby granted' {} \; -delete

# Of PostgreSQL: the two programs that are started, their libraries, and the conversions of encodings. No extension is
# used but PL/pgSQL, which every database has.
for native in @embedded-postgres/*/native; do
  if [ ! -d "$native" ]; then continue; fi
  (
    cd "$native"
    rm -rf bin/pg_ctl include lib/*.a lib/pkgconfig lib/postgresql/pgxs
    rm -f lib/libecpg* lib/libpgtypes* lib/libossp-uuid* lib/libxslt*
    find share/postgresql/extension -type f ! -name 'plpgsql*' -delete
    find lib/postgresql -name '*.so' ! -name plpgsql.so ! -name dict_snowball.so ! -name '*_and_*.so' \
      ! -name euc2004_sjis2004.so -delete
  )
done
find . -type d -empty -delete
