#!/usr/bin/env bash
# Two documents or none: an order reduces the stock, and is undone as one step.
set -euo pipefail
url=${VERSIOND:-http://localhost:8080}/v1
curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"soup":2}' \
    "$url/documents/order-stock"

order() { # NAME LEFT: makes the order, if the stock is what it should be
    curl -sS -X POST -H 'Content-Type: application/json' "$url/transactions" -d '{"changes":[
        {"document":"'"$1"'","value":{"soup":1},"noneMatch":"*"},
        {"document":"order-stock","patch":[
            {"op":"test","path":"/soup","value":'"$(($2 + 1))"'},
            {"op":"replace","path":"/soup","value":'"$2"'}]}]}'
}
made=$(order order-1 1 | jq -r .transaction)
echo "$made"
#> order-1@0

# The second order fails its test, so neither document changes.
order order-2 2 | jq -c '[.code, .document, .member]'
#> ["test-failed","order-stock",1]
curl -sS -o /dev/null -w '%{http_code}\n' "$url/documents/order-2"
#> 404

# Undo reverts both documents: it deletes the order, and restores the stock.
curl -fsS -X POST -H 'Content-Type: application/json' -d '{"transaction":"'"$made"'"}' "$url/undo" |
    jq -c '.changes[] | [.document, .change.kind]'
#> ["order-1","delete"]
#> ["order-stock","undo"]
curl -fsS "$url/documents/order-stock"
#> {"soup":2}
