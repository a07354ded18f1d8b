#!/usr/bin/env bash
# Read, change, write back, only if no other client has written meanwhile.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/edit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"stock":5}' "$document"

# curl stores the revision; If-Match sends it.
stock=$(curl -fsS --etag-save "$work/etag" -H 'Accept: text/plain' "$document?path=/stock")
curl -fsS -o /dev/null -X PATCH -H "If-Match: $(cat "$work/etag")" \
    -H 'Content-Type: application/merge-patch+json' -d "{\"stock\":$((stock - 1))}" "$document"
curl -fsS "$document"
#> {"stock":4}

# With the old revision the daemon refuses the write, and says what to do.
curl -sS -X PATCH -H "If-Match: $(cat "$work/etag")" -H 'Accept: text/plain' \
    -H 'Content-Type: application/merge-patch+json' -d '{"stock":0}' "$document"
#> error: The document is at revision 1.
#> hint: head is the newest revision. Read the changes since then (missed), then retry with the new If-Match. PUT without If-Match creates a missing document.
