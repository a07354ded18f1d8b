#!/usr/bin/env bash
# Read history: who changed a place, an earlier state, the difference of two states.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/past
merge='Content-Type: application/merge-patch+json'

curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"dish":"soup","price":4}' "$document"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: ada' -H "$merge" -d '{"price":5}' "$document?label=dearer"
curl -fsS -o /dev/null -X PUT "$document/tags/lunch"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: bob' -H "$merge" -d '{"dish":"stew"}' "$document"

curl -fsS "$document/history?path=/price&limit=1" | grep -oE '"(actor|label)":"[a-z]*"'
#> "actor":"ada"
#> "label":"dearer"
curl -fsS "$document?at=tag:lunch"
#> {"dish":"soup","price":5}
curl -fsS "$document/diff?from=0&to=tag:lunch" | grep -o '"patch":.*\]'
#> "patch":[{"op":"replace","path":"/price","value":5}]

# A snapshot stores the values of some places, and restores only these.
curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"paths":["/price"]}' "$document/snapshots/good"
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"price":9,"dish":"roast"}' "$document"
curl -fsS -o /dev/null -X POST "$document/snapshots/good/restore"
curl -fsS "$document"
#> {"dish":"roast","price":5}
