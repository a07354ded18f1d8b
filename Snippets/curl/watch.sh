#!/usr/bin/env bash
# Follow a document, line by line, and resume after a break: each change once.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/watch
for number in 0 1 2 3; do
    curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d "{\"number\":$number}" "$document"
done

# Prints the revisions of the first $2 changes after revision $1; a real watcher would not end.
follow() {
    exec 3< <(exec curl -sN -H 'Accept: application/x-ndjson' "$document/feed?cursor=$1")
    local curl=$! left=$2
    while [ "$left" -gt 0 ] && read -r line <&3; do
        [[ $line == *'"event":"change"'* ]] || continue
        sed -E 's/.*"revision":([0-9]+),"version".*/change \1/' <<<"$line"
        left=$((left - 1))
    done
    kill "$curl"
}

follow 0 2
#> change 1
#> change 2
follow 2 1
#> change 3

# Without a stream: wait up to 30 s for the next change.
(sleep 0.2; curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '"news"' "$document") &
curl -fsS "$document/feed?cursor=3&wait=30s" | grep -o '"value":"[a-z]*"'
#> "value":"news"
