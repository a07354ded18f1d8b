#!/usr/bin/env bash
# Undo and redo, shared and own.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/undo
merge='Content-Type: application/merge-patch+json'
json='Content-Type: application/json'

curl -fsS -o /dev/null -X PUT -H "$json" -d '{"title":"Soup","price":4}' "$document"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: ada' -H "$merge" -d '{"price":5}' "$document"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: bob' -H "$merge" -d '{"title":"Stew"}' "$document"

# Ada undoes her own edit, and Bob's stays.
curl -fsS -o /dev/null -X POST -H 'Versiond-Actor: ada' -H "$json" -d '{"actor":"ada"}' "$document/undo"
curl -fsS "$document"
#> {"title":"Stew","price":4}

# Shared undo, without a name, undoes the last version: here Ada's undo.
curl -fsS -o /dev/null -X POST "$document/undo"
curl -fsS "$document"
#> {"title":"Stew","price":5}

# goto reaches every version.
curl -fsS -o /dev/null -X POST -H "$json" -d '{"to":"version:0"}' "$document/goto"
curl -fsS "$document"
#> {"title":"Soup","price":4}
curl -fsS -o /dev/null -X POST -H "$json" -d '{"scope":true}' "$document/redo"
curl -fsS "$document"
#> {"title":"Stew","price":4}
