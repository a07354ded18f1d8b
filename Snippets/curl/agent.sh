#!/usr/bin/env bash
# Undo everything that one run of an agent did, in all documents, as one step.
set -euo pipefail
url=${VERSIOND:-http://localhost:8080}/v1
run=agent/run-17
send() { # METHOD PATH TYPE BODY: as the run
    curl -fsS -o /dev/null -X "$1" -H "Versiond-Actor: $run" -H "Content-Type: application/$3" \
        -d "$4" "$url/documents/$2"
}
curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"price":4}' \
    "$url/documents/shop-menu"

# The run edits one document and makes another. Meanwhile ada edits as well.
send PATCH shop-menu merge-patch+json '{"price":5,"dish":"stew"}'
send PUT shop-notes json '{"todo":["buy carrots"]}'
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: ada' \
    -H 'Content-Type: application/merge-patch+json' -d '{"vegan":true}' "$url/documents/shop-menu"

# A dry run shows what the undo would change.
taken='{"all":{"actor":"agent/run-17"},"prefix":"shop-"}'
curl -fsS -X POST -H 'Content-Type: application/json' -d "$taken" "$url/undo?dryRun" |
    jq -c '.changes[] | [.document, .change.kind]'
#> ["shop-menu","undo"]
#> ["shop-notes","delete"]

# One change undoes all of it; ada's edit stays.
curl -fsS -o /dev/null -X POST -H 'Content-Type: application/json' -d "$taken" "$url/undo"
curl -fsS "$url/documents/shop-menu"
#> {"price":4,"vegan":true}

# Redo restores it, in both documents.
curl -fsS -o /dev/null -X POST -H 'Content-Type: application/json' -d "$taken" "$url/redo"
curl -fsS "$url/documents/shop-menu"
#> {"price":5,"vegan":true,"dish":"stew"}
curl -fsS "$url/documents/shop-notes"
#> {"todo":["buy carrots"]}

# An undo can keep a document, or a place in one.
kept='{"all":{"actor":"agent/run-17"},"prefix":"shop-","keep":{"shop-notes":true,"shop-menu":["/price"]}}'
curl -fsS -X POST -H 'Content-Type: application/json' -d "$kept" "$url/undo" |
    jq -c '.changes[] | [.document, .change.kept // .kept]'
#> ["shop-menu",["/price"]]
#> ["shop-notes",[""]]
curl -fsS "$url/documents/shop-menu"
#> {"price":5,"vegan":true}
