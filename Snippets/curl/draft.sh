#!/usr/bin/env bash
# An agent that only proposes: it edits a draft, and a person merges a part of it.
set -euo pipefail
url=${VERSIOND:-http://localhost:8080}/v1/documents
json='Content-Type: application/json'
merge='Content-Type: application/merge-patch+json'
curl -fsS -o /dev/null -X PUT -H "$json" -d '{"soup":4,"salad":8,"open":true}' "$url/prices"

# The draft is a document like any other. A token with the right `propose` may write drafts only.
curl -fsS -o /dev/null -X PUT -H 'Versiond-Actor: agent' "$url/prices~agent?copyOf=prices"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: agent' -H "$merge" \
    -d '{"soup":5,"salad":9}' "$url/prices~agent"
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: agent' -H "$merge" \
    -d '{"open":false}' "$url/prices~agent"

# Bob edits the origin meanwhile.
curl -fsS -o /dev/null -X PATCH -H 'Versiond-Actor: bob' -H "$merge" -d '{"salad":10}' "$url/prices"

# The proposed edits, and the conflicts.
curl -fsS "$url/prices/drafts" |
    jq -c '.drafts[] | [.document, .actors, .ahead.edits, .conflicts]'
#> ["prices~agent",["agent"],3,["/salad"]]

# Merge the soup, and exactly the reviewed states; the rest stays in the draft.
curl -fsS -X POST -H "$json" -H 'If-Match: "2"' -d '{"paths":["/soup"],"match":1}' \
    "$url/prices~agent/merge" | jq -c '[.left, .origin.patch]'
#> [2,[{"op":"replace","path":"/soup","value":5}]]

# Undo in the draft the edit that is not wanted, and resolve the conflict.
curl -fsS -o /dev/null -X POST -H "$json" -d '{"revision":2}' "$url/prices~agent/undo"
curl -fsS -X POST -H "$json" -d '{"resolve":{"/salad":"draft"},"end":true}' \
    "$url/prices~agent/merge" | jq -c '[.left, .change.kind]'
#> [0,"delete"]
curl -fsS "$url/prices"
#> {"soup":5,"salad":9,"open":true}
