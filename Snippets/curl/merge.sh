#!/usr/bin/env bash
# Two people change one document at once. Each names the revision that the edit was made on.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/merge
json='Content-Type: application/json'
merge='Content-Type: application/merge-patch+json'

curl -fsS -o /dev/null -X PUT -H "$json" -d '{"dish":"soup","price":4.50}' "$document"
# Both have read revision 0.
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"price":5}' "$document?base=0"
curl -fsS -o /dev/null -X PUT -H "$json" -d '{"dish":"stew","price":4.50}' "$document?base=0"
curl -fsS "$document"
#> {"dish":"stew","price":5}

# The same place: the daemon changes nothing, and names the places and the revisions.
curl -sS -X PATCH -H "$merge" -d '{"price":6}' "$document?base=0" | grep -o '"conflicts":[^]]*],"with":[^]]*]'
#> "conflicts":["/price"],"with":[1]
curl -fsS -o /dev/null -X PATCH -H "$merge" -d '{"price":6}' "$document?base=0&conflict=mine"
curl -fsS "$document"
#> {"dish":"stew","price":6}
