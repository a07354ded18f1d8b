#!/usr/bin/env bash
# A run that is open is not undone by accident.
set -euo pipefail
url=${VERSIOND:-http://localhost:8080}/v1
run=$url/runs/agent%2Frun-18
json='Content-Type: application/json'

curl -fsS -o /dev/null -X PUT -H "$json" -d '{"price":4}' "$url/documents/open-menu"
curl -fsS -X PUT -H 'Versiond-Actor: agent/run-18' "$run?ttl=10m" | jq -c '[.run, .open]'
#> ["agent/run-18",true]
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: agent/run-18' \
    -H 'Content-Type: application/merge-patch+json' -d '{"price":5}' "$url/documents/open-menu"

# Its edits are not undone while it is open.
taken='{"all":{"actor":"agent/run-18"}}'
curl -sS -X POST -H "$json" -d "$taken" "$url/undo" | jq -c '[.code, .runs]'
#> ["run-open",["agent/run-18"]]

# The run closes itself at its end, or the undo closes it.
curl -fsS -o /dev/null -X POST -H 'Versiond-Actor: agent/run-18' "$run/close"
curl -fsS -o /dev/null -X POST -H "$json" -d "$taken" "$url/undo"
curl -fsS "$url/documents/open-menu"
#> {"price":4}
