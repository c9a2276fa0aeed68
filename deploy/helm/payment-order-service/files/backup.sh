# Writes one backup of the database, and deletes the oldest ones once the new one is complete. docs/deploy.md, section
# "Kubernetes", says how to restore it. The version of pg_dump must be at least the server's.
set -eu
umask 077
cd "$BACKUP_FOLDER"
rm -f "$BACKUP_NAME"-????????T??????Z.dump.partial
file="$BACKUP_NAME-$(date -u +%Y%m%dT%H%M%SZ).dump"
pg_dump --format=custom --file="$file.partial" --dbname="$(cat "$DATABASE_URL_FILE")"
# A file whose list of contents cannot be read is no backup.
pg_restore --list "$file.partial" > /dev/null
sync "$file.partial"
mv "$file.partial" "$file"
ls "$BACKUP_NAME"-????????T??????Z.dump | sort -r | tail -n "+$((BACKUP_KEEP + 1))" | while read -r old; do rm "$old"; done
echo "$file has $(wc -c < "$file") bytes"
