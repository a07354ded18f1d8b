#!/usr/bin/env bash
# A name for a position, and two ways back to it.
set -euo pipefail
server=${VERSIOND:-http://localhost:8080}
merge='Content-Type: application/merge-patch+json'
json='Content-Type: application/json'

curl -fsS -o /dev/null -X PUT -H "$json" -d '{"price":4}' "$server/v1/documents/prices%2Fsoup"
curl -fsS -o /dev/null -X PUT -H "$json" -d '{"price":6}' "$server/v1/documents/prices%2Fstew"
curl -fsS -o /dev/null -X PUT -H 'Versiond-Actor: ada' -H "$json" -d '{"prefix":"prices/"}' \
    "$server/v1/restore-points/before"

curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: agent/run-1' -H "$merge" -d '{"price":5}' \
    "$server/v1/documents/prices%2Fsoup"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: bob' -H "$merge" -d '{"price":7}' \
    "$server/v1/documents/prices%2Fstew"

# A document as it was there.
curl -fsS "$server/v1/documents/prices%2Fsoup?at=restore-point:before"
#> {"price":4}

# Undo the edits of the run since then; Bob's edit stays.
curl -fsS -o /dev/null -X POST -H 'Versiond-Actor: ada' -H "$json" \
    -d '{"all":{"actor":"agent/run-1","since":"restore-point:before"}}' "$server/v1/undo"
curl -fsS "$server/v1/documents/prices%2Fsoup"
#> {"price":4}
curl -fsS "$server/v1/documents/prices%2Fstew"
#> {"price":7}

# Everything below the prefix of the restore point, as one transaction.
curl -fsS -o /dev/null -X POST -H 'Versiond-Actor: ada' -H "$json" \
    -d '{"to":"restore-point:before"}' "$server/v1/restore"
curl -fsS "$server/v1/documents/prices%2Fstew"
#> {"price":6}
