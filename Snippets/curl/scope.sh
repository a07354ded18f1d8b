#!/usr/bin/env bash
# A script whose edits become one version, or none if it fails.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/scope
merge='Content-Type: application/merge-patch+json'
json='Content-Type: application/json'
me='Versiond-Actor: importer'

curl -fsS -o /dev/null -X PUT -H "$json" -d '{"a":0,"b":0}' "$document"

# If this machine dies, the daemon discards the scope after ten minutes.
curl -fsS -o /dev/null -X POST -H "$me" -H "$json" -d '{"ttl":"10m","policy":"discard"}' "$document/scopes/push"
for name in a b c; do
    curl -fsS -o /dev/null -X PATCH -H "$me" -H "$merge" -d "{\"$name\":1}" "$document"
done
curl -fsS -o /dev/null -X POST -H "$me" "$document/scopes/pop"
curl -fsS "$document"
#> {"a":1,"b":1,"c":1}

# One undo reverts all three edits.
curl -fsS -o /dev/null -X POST "$document/undo"
curl -fsS "$document"
#> {"a":0,"b":0}
