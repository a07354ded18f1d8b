#!/usr/bin/env bash
# A release: drafts of two documents, which are merged and undone as one step.
set -euo pipefail
url=${VERSIOND:-http://localhost:8080}/v1
json='Content-Type: application/json'
merge='Content-Type: application/merge-patch+json'
curl -fsS -o /dev/null -X PUT -H "$json" -d '{"soup":4,"salad":8}' "$url/documents/lunch"
curl -fsS -o /dev/null -X PUT -H "$json" -d '{"red":6}' "$url/documents/wine"

# Each draft has the prefix of the release.
curl -fsS -o /dev/null -X PUT "$url/documents/spring~%2Flunch?copyOf=lunch"
curl -fsS -o /dev/null -X PUT "$url/documents/spring~%2Fwine?copyOf=wine"
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"soup":5}' "$url/documents/spring~%2Flunch"
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"red":7}' "$url/documents/spring~%2Fwine"

# Bob edits both origins meanwhile: once at another place, once at the same one.
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"salad":9}' "$url/documents/lunch"
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"red":8}' "$url/documents/wine"

# A conflict in one of the documents refuses all, and all conflicts are listed.
curl -sS -X POST -H "$json" -d '{"prefix":"spring~/"}' "$url/merge" |
    jq -c '[.code, (.skipped[] | [.document, .conflicts])]'
#> ["conflict",["spring~/wine",["/red"]]]

# Decide it, and merge all as one step. The drafts end.
curl -fsS -X POST -H "$json" \
    -d '{"prefix":"spring~/","resolve":{"spring~/wine":{"/red":"draft"}},"end":true}' \
    "$url/merge?label=spring" | jq -c '[.transaction, (.changes[].origin | [.document, .revision])]'
#> ["lunch@2",["lunch",2],["wine",2]]
curl -fsS "$url/documents/lunch"
#> {"soup":5,"salad":9}

# Undo the release in all documents. The drafts are back, and the release can be made again.
curl -fsS -o /dev/null -X POST -H "$json" -d '{"transaction":"lunch@2"}' "$url/undo"
curl -fsS "$url/documents/lunch"
#> {"soup":4,"salad":9}
curl -fsS "$url/documents?prefix=spring~/" | jq -c '[.documents[].document]'
#> ["spring~/lunch","spring~/wine"]
