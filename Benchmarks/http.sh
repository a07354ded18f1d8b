#!/usr/bin/env bash
# Requests a second over HTTP, beside the limit in the same run: libmicrohttpd answering fixed bytes
# (GET), and libmicrohttpd with an fsynced append-only file (PATCH). Needs wrk, a C compiler, and
#   Scripts/release
# Usage: Benchmarks/http.sh [seconds] [rounds]. Trust the ratios; every process runs on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3} rounds=${2:-3}
versiond=${VERSIOND:-.build/release/versiond}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

cc -O2 -o "$work/bare-http" Benchmarks/bare-http/main.c -lmicrohttpd -lpthread
cat >"$work/patch.lua" <<'LUA'
local n = 0
local fields = {["Content-Type"] = "application/merge-patch+json"}
request = function()
    n = n + 1
    return wrk.format("PATCH", "/v1/documents/bench", fields, '{"n":' .. n .. '}')
end
LUA
"$versiond" serve --port 8191 --directory "$work/data" --log-level warning &
"$work/bare-http" 8192 "$work/log" &
sleep 1
text=$(printf 'x%.0s' {1..120})
curl -fsS -o "$work/body" -X PUT -H 'Content-Type: application/json' \
    -d "{\"dish\":\"soup\",\"n\":0,\"text\":\"$text\"}" http://127.0.0.1:8191/v1/documents/bench

# Requests a second of one run.
load() { wrk -t1 "-c$2" "-d$seconds" ${3:+-s "$3"} "http://127.0.0.1:$1/v1/documents/bench" \
    | awk '/Requests\/sec/ { print int($2) }'; }
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

printf '%-6s %-12s %10s %10s %7s\n' call connections versiond bare ratio
for connections in 1 16 64; do
    for call in GET PATCH; do
        script=$([ "$call" = GET ] || echo "$work/patch.lua")
        : >"$work/ours" >"$work/bare"
        for _ in $(seq "$rounds"); do
            load 8191 "$connections" "$script" >>"$work/ours"
            load 8192 "$connections" "$script" >>"$work/bare"
        done
        ours=$(median <"$work/ours") bare=$(median <"$work/bare")
        printf '%-6s %-12s %10s %10s %7s\n' "$call" "$connections" "$ours" "$bare" \
            "$(awk "BEGIN { printf \"%.2f\", $ours / $bare }")"
    done
done
