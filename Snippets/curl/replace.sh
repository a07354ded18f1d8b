#!/usr/bin/env bash
# Replace a few words of a text by naming the old ones and the new ones: no positions to count.
set -euo pipefail
document=${VERSIOND:-http://localhost:8080}/v1/documents/recipe
replace() { # ACTOR OLD NEW QUERY
    jq -cn --arg find "$2" --arg str "$3" '[{op: "str_replace", path: "/text", $find, $str}]' |
        curl -sS -X PATCH -H "Versiond-Actor: $1" -H 'Content-Type: application/json-patch+json' \
            -d @- "$document${4-}"
}
curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' \
    -d '{"text":"Hot soup with white bread, and hot tea."}' "$document"

# The response has the words that differ, as text operations.
replace agent 'Hot soup' 'Cold soup' | jq -c '.patch'
#> [{"op":"str_del","path":"/text","pos":0,"len":3},{"op":"str_ins","path":"/text","pos":0,"str":"Cold"}]

# A text that does not occur exactly once is refused, with the number of places.
replace agent 'Hot' 'Cold' | jq -r '.code'
#> text-not-found
replace agent 't' 'T' | jq -c '[.code, .count, .positions]'
#> ["text-not-unique",4,[12,18,34,36]]

# With a base, the text of the base is searched, and edits of others next to it are kept.
replace bob 'white bread' 'white bread and butter' >/dev/null
replace agent 'hot tea' 'iced tea' '?base=1' >/dev/null
curl -fsS -H 'Accept: text/plain' "$document?path=/text"
#> Cold soup with white bread and butter, and iced tea.

# Another edit of the same words is a conflict.
replace ada 'hot tea' 'green tea' '?base=1' | jq -c '[.code, .conflicts, .with]'
#> ["conflict",["/text"],[3]]
