#!/usr/bin/env bash
# Over a bad connection: curl may repeat the request, and the daemon carries it out once.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/retry
patch='Content-Type: application/json-patch+json'

curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '[]' "$document"

key="retry-$$-$RANDOM"
for attempt in 1 2 3; do
    curl -fsS --retry 5 --retry-connrefused -o /dev/null -w '%{http_code}\n' -X PATCH \
        -H "Idempotency-Key: $key" -H "$patch" -d '[{"op":"add","path":"/-","value":"once"}]' "$document"
done
#> 200
#> 200
#> 200
curl -fsS "$document"
#> ["once"]
