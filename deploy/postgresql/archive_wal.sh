#!/bin/sh
# Copies one segment of the WAL into the archive: archive_wal.sh SEGMENT TARGET. PostgreSQL repeats it until it succeeds.
set -eu
if [ -e "$2" ]; then
    # PostgreSQL ended before it noted that the segment is archived. Another content is that of another server.
    cmp -s -- "$1" "$2" || { echo "$2 exists with another content; each server needs an archive of its own." >&2; exit 1; }
    exit 0
fi
cp -- "$1" "$2.part"
sync -- "$2.part"
mv -- "$2.part" "$2"
sync -- "$(dirname -- "$2")"
