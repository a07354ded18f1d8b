#!/usr/bin/env python3
"""The cost of every call as the work grows, and whether it exceeds the necessary.

    Benchmarks/calls.py BINARY [--sizes 3000,30000] [--axes versions,documents,bytes]
        [--slack 0.2] [--check] [--postgresql]

For each call of Documentation/Reference/Calls.md: the daemon's CPU at each size, and the exponent between the
last two. An axis is the length of a history, the number of other documents, or the bytes of the
document. A call may grow by the exponent that ROWS allow and some slack, or up to what bounds it;
with --check, more is an error, and so is a call that is not here. An apparent excess is measured
again first. CPU alone counts: no figure depends on how busy the machine is. Between small sizes the
slack has to be larger: 3,000 changes are in rows, and 30,000 are packed, which is a step and no
growth. With --postgresql the daemon keeps its journal there, and the CPU of both counts.
"""

import argparse
import json
import math
import os
import re
import statistics
import sys
import time

from measuring import Client, ClusterMember, DOCUMENT, HERE, MERGE, judge, versiond, with_document

PATCH = "application/json-patch+json"
ROUNDS = 7
# Of what takes seconds in a long history.
FEW = 3
ATTEMPTS = 3
# Below this the figure is the noise of one call; microseconds.
FLOOR = 1_500
AXES = ("versions", "documents", "bytes")
# Bytes of a document for each of the numbers that the other axes count.
BYTES = 100


class Row:
    """A call as Calls.md names it, what to send, and the exponents by which it may grow."""

    def __init__(self, call, path=None, body=None, kind="application/json", what="", status=200,
                 versions=0, documents=0, bytes=0, rounds=ROUNDS, before=(), bounded=False, most=0,
                 scans=False):
        self.call, self.body, self.kind, self.what = call, body, kind, what
        # `before` is sent before each call; a `bounded` call refuses too much work.
        self.statuses, self.before = (status, 422) if bounded else (status,), before
        self.method, plain = call.split(" ", 1)
        self.path = path or plain.replace("{document}", "bench")
        self.must = {"versions": versions, "documents": documents, "bytes": bytes}
        # Microseconds that something else than the size bounds it by.
        self.rounds, self.most, self.scans = rounds, most, scans

    @property
    def name(self):
        return f"{self.call} {self.what}".strip()

    def in_database(self):
        """Reading takes longer there, and some read in the order of all, not of their documents."""
        self.most *= 2
        if self.scans:
            self.must |= {"versions": 1, "documents": 1}

    def is_over(self, axis, costs, sizes, slack):
        return costs[-1] > max(FLOOR, self.most) and exponent(costs, sizes) > self.must[axis] + slack


def document(call, path="", *arguments, **options):
    method, rest = call.split(" ", 1)
    call = f"{method} /v1/documents/{{document}}{rest}"
    return Row(call, DOCUMENT + (path or rest), *arguments, **options)


# Replay from a checkpoint, which is at most 20,000 changes away; microseconds.
REPLAY = 200_000
DRY = "?dryRun=true"
ALONE = DRY + "&alone=true"


def cold(document):
    """Requests that drop the effect history of a document, and change nothing else."""
    return ("POST", document + "/undo"), ("POST", document + "/redo")


COLD = cold(DOCUMENT)
BACK = (("POST", DOCUMENT + "/goto?alone=true", '{"to":"1"}'),)
GONE = "/v1/documents/gone"
POINT = "/v1/restore-points/first"
RUN = "/v1/runs/agent%2Funder-way"
SCOPED = "/v1/documents/scoped/scopes"
WIDE = "/v1/documents/wide"
GROWN = "/v1/documents/grown"
EDIT = '[{"op":"replace","path":"/n","value":-1}]'
# Calls that read or write a whole value cost its bytes; calls that name a leaf do not.
ROWS = [
    Row("GET /v1"),
    Row("GET /v1/documents", "/v1/documents?limit=20"),
    Row("GET /v1/documents", "/v1/documents?prefix=bench&limit=20", what="prefix"),
    Row("GET /v1/history", "/v1/history?limit=20"),
    Row("GET /v1/history", "/v1/history?documents=rare&limit=20", what="named"),
    # It scans a bounded number of changes; its `next` continues from there.
    Row("GET /v1/history", "/v1/history?prefix=rare&limit=20", what="rare", most=30_000),
    Row("GET /v1/whoami"),
    Row("GET /v1/feed", "/v1/feed?documents=rare&cursor=0&limit=20", what="named", bytes=1,
        scans=True),
    Row("GET /v1/feed", "/v1/feed?prefix=rare&cursor=0&limit=20", what="prefix", bytes=1,
        scans=True),
    Row("GET /v1/feed", "/v1/feed?cursor=0&limit=20", what="page", bytes=1),
    Row("POST /v1/transactions", "/v1/transactions" + DRY,
        '{"changes":[{"document":"bench","merge":{"n":-1}},{"document":"rare","merge":{"n":-1}}]}'),
    Row("GET /v1/transactions/{transaction}", "/v1/transactions/@transaction"),
    Row("GET /v1/runs", "/v1/runs?limit=20"),
    # An undo is tried in each document.
    Row("GET /v1/runs/{run}", "/v1/runs/agent%2Frun-1", versions=1, bytes=1),
    Row("PUT /v1/runs/{run}", RUN),
    Row("POST /v1/runs/{run}/close", RUN + "/close", before=(("PUT", RUN),)),
    Row("POST /v1/undo", "/v1/undo" + DRY, '{"all":{"actor":"cyd"},"documents":["rare"]}'),
    Row("POST /v1/undo", "/v1/undo" + DRY, '{"transaction":"@transaction"}', what="transaction",
        versions=1, bytes=1, rounds=FEW, before=COLD),
    Row("POST /v1/redo", "/v1/redo" + DRY, '{"all":{"actor":"dee"},"documents":["rare"]}'),
    Row("POST /v1/redo", "/v1/redo" + DRY, '{"transaction":"@undone"}', what="transaction",
        versions=1, bytes=1, rounds=FEW, before=COLD),
    # Both sides are compared, and the new state of each origin is made.
    Row("POST /v1/merge", "/v1/merge" + DRY, '{"prefix":"drafts~/"}', bytes=1),
    Row("GET /v1/restore-points", "/v1/restore-points?limit=20"),
    Row("GET /v1/restore-points/{name}", POINT),
    Row("PUT /v1/restore-points/{name}", POINT, '{"prefix":"rare"}'),
    Row("DELETE /v1/restore-points/{name}", POINT + "-gone", before=(("PUT", POINT + "-gone"),),
        status=204),
    Row("POST /v1/restore", "/v1/restore" + DRY, '{"prefix":"rare","to":"@time"}'),
    document("GET ", bytes=1),
    document("GET ", "?path=/n", what="leaf"),
    document("GET ", "?at=1&path=/n", what="at the beginning", bytes=1),
    document("GET ", "?at=@middle&path=/n", what="at the middle", bytes=1, most=REPLAY),
    document("PUT ", DRY, "@value", bytes=1),
    Row("PUT /v1/documents/{document}", "/v1/documents/copy?copyOf=bench&dryRun=true",
        what="copy", bytes=1),
    document("PATCH ", DRY, EDIT, PATCH),
    document("PATCH ", "?dryRun=true&base=@old&conflict=mine", EDIT, PATCH, what="base 1,000 back"),
    # Of a longer history it is too far back, and refused.
    document("PATCH ", "?dryRun=true&base=@far&conflict=mine", EDIT, PATCH, what="base a third back",
             versions=1, rounds=1, bounded=True),
    document("PATCH ", DRY, '[{"op":"str_ins","path":"/long","pos":5,"str":"x"}]', PATCH, what="keystroke"),
    Row("DELETE /v1/documents/{document}", GONE, before=(("POST", GONE + "/undelete"),)),
    Row("POST /v1/documents/{document}/undelete", GONE + "/undelete" + DRY),
    document("POST /rename", "/rename" + DRY, '{"name":"renamed"}', bytes=1, versions=1,
             bounded=True),
    document("POST /purge", "/purge" + DRY, '{"paths":["/dish"]}', bytes=1, versions=1),
    document("POST /append", "/append" + DRY, EDIT, PATCH),
    Row("GET /v1/documents/{document}/origin", "/v1/documents/draft/origin", bytes=1),
    Row("PUT /v1/documents/{document}/origin", "/v1/documents/draft/origin" + DRY, '{"document":"bench"}', bytes=1,
        most=REPLAY),
    Row("DELETE /v1/documents/{document}/origin", "/v1/documents/draft/origin" + DRY),
    document("GET /drafts", "/drafts?limit=20", bytes=1),
    Row("POST /v1/documents/{document}/update", "/v1/documents/draft/update" + DRY, bytes=1),
    Row("POST /v1/documents/{document}/merge", "/v1/documents/draft/merge" + DRY, "{}", bytes=1),
    document("POST /undo", "/undo" + DRY),
    document("POST /undo", "/undo" + ALONE, '{"to":"@old"}', what="1,000 back", bytes=1),
    document("POST /undo", "/undo" + DRY, '{"actor":"bob"}', what="own, near", bytes=1,
             before=COLD),
    document("POST /undo", "/undo" + DRY, '{"actor":"nobody-here"}', what="own, unknown",
             status=409, before=COLD),
    document("POST /undo", "/undo" + DRY, '{"actor":"ada"}', what="own, from the beginning",
             versions=1, bytes=1, rounds=FEW, before=COLD),
    Row("POST /v1/documents/{document}/undo", GROWN + "/undo" + DRY, '{"actor":"ada"}', status=409,
        what="own, in conflict with all later ones", versions=1, rounds=FEW,
        before=cold(GROWN)),
    document("POST /redo", "/redo" + DRY),
    document("POST /goto", "/goto" + ALONE, '{"to":"1"}', what="the beginning", bytes=1),
    document("POST /goto", "/goto" + ALONE, '{"to":"@middle"}', what="the middle", bytes=1, most=REPLAY),
    # Places are followed from the state that held them through all changes since: they are
    # elements, not indices.
    document(
        "POST /restore", "/restore" + DRY, '{"from":"1","paths":["/n"]}', versions=1, bytes=1),
    document("POST /seal"),
    document("GET /status"),
    document("GET /status", "/status?actor=nobody-here", what="unknown actor", before=COLD),
    document("GET /status", "/status?actor=ada", what="actor of the beginning", bytes=1,
             before=COLD),
    document("GET /status", "/status?actor=bob", what="actor of the end", bytes=1, before=COLD),
    document("GET /settings"),
    document("PATCH /settings", "/settings" + DRY, '{"debounce":"1s"}', MERGE),
    document("GET /presence"),
    document("PUT /presence/{client}", "/presence/somebody", '{"at":1}'),
    document("DELETE /presence/{client}", "/presence/somebody"),
    document("GET /scopes"),
    document("POST /scopes/push", "/scopes/push" + DRY),
    Row("POST /v1/documents/{document}/scopes/pop", SCOPED + "/pop" + DRY),
    Row("POST /v1/documents/{document}/scopes/discard", SCOPED + "/discard" + DRY, bytes=1),
    # Changes that do not fit into memory are read twice.
    Row("POST /v1/documents/{document}/scopes/discard", WIDE + "/scopes/discard" + DRY,
        what="of many changes", versions=1.1, rounds=FEW,
        before=cold(WIDE)),
    document("GET /tags"),
    document("GET /tags/{tag}", "/tags/first"),
    document("PUT /tags/{tag}", "/tags/second" + DRY, '{"at":"@old"}', bytes=1, most=REPLAY),
    document("DELETE /tags/{tag}", "/tags/first" + DRY),
    document("GET /snapshots"),
    document("GET /snapshots/{snapshot}", "/snapshots/one?path=/n"),
    document("PUT /snapshots/{snapshot}", "/snapshots/two" + DRY, '{"paths":["/n"]}'),
    document("DELETE /snapshots/{snapshot}", "/snapshots/one" + DRY),
    document(
        "POST /snapshots/{snapshot}/restore", "/snapshots/one/restore" + DRY, versions=1, bytes=1),
    document("GET /history", "/history?limit=20"),
    document("GET /history", "/history?limit=20&branches=all", what="all branches"),
    document("GET /history", "/history?limit=20&cursor=@middle", what="middle"),
    document("GET /history/{revision}", "/history/1", bytes=1),
    document("GET /versions", "/versions?limit=20"),
    document("GET /versions", "/versions?limit=20&cursor=@middle", what="middle"),
    # 272 short runs are read of whatever length.
    document("GET /activity", "/activity?spans=20", bytes=1, most=300_000),
    document("GET /blame", "/blame?path=/n", versions=1, bytes=1, rounds=1),
    document("GET /diff", "/diff?from=@old&to=@last", bytes=1, most=REPLAY),
    document("GET /diff", "/diff?from=1&to=@last", what="from the beginning", bytes=1,
        most=REPLAY),
    document("GET /feed", "/feed?cursor=@middle&limit=20", bytes=1, most=REPLAY),
    Row("POST /v1/tickets"),
    Row("GET /v1/export", versions=1, documents=1, bytes=1, rounds=1),
    Row("POST /mcp", body='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read",'
        '"arguments":{"document":"bench","path":"/n"}}}'),
    Row("GET /.well-known/oauth-protected-resource"),
    Row("GET /livez"),
    Row("GET /readyz", "/readyz?verbose"),
    Row("GET /metrics"),
    Row("GET /openapi.json"),
    Row("GET /problems"),
    Row("GET /problems/{code}", "/problems/unknown-document"),
    Row("GET /client.js"),
    Row("GET /client.d.ts"),
    Row("GET /", status=307),
    Row("GET /ui/"),
    Row("GET /ui/{file}", "/ui/look.js"),
    # The last ones: the document goes back to its beginning, and all that came since is ahead.
    document("GET /status", what="gone back", before=BACK),
    document("GET /history", "/history?limit=20", what="gone back", before=BACK),
    document("GET /versions", "/versions?limit=20", what="gone back", before=BACK),
    document("POST /redo", "/redo" + DRY, what="gone back", before=BACK),
]


def calls_of_the_table():
    """All calls of Calls.md."""
    with open(os.path.join(HERE, "..", "Documentation", "Reference", "Calls.md")) as file:
        return re.findall(r"^### ((?:GET|PUT|POST|PATCH|DELETE) .*)$", file.read(), re.M)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class Scene:
    """A daemon with a document of some size, and what the calls need around it."""

    def __init__(self, start, axis, size):
        self.server = start()
        self.client = Client(self.server)
        self.value = {"dish": "soup", "n": 0, "text": "x" * 120, "long": "a line of text " * 10}
        if axis == "bytes":
            self.fill(size * BYTES)
        self.client.made("PUT", DOCUMENT, compact(self.value))
        self.client.made("PATCH", DOCUMENT, '{"dish":"stew"}', MERGE)
        self.client.made("PUT", "/v1/documents/rare", '{"n":0}')
        time.sleep(0.002)
        self.words = {"time": self.client.made("GET", "/v1/history?limit=1")["changes"][0]["time"]}
        part = {"changes": [{"document": name, "merge": {"t": 1}} for name in ("bench", "rare")]}
        self.words["transaction"] = self.client.made("POST", "/v1/transactions", json.dumps(part))["transaction"]
        undone = self.client.made("POST", "/v1/transactions", json.dumps(part).replace("1}", "2}"))["transaction"]
        self.words["undone"] = undone
        self.client.made("POST", "/v1/undo", json.dumps({"transaction": undone}))
        self.client.made("PATCH", "/v1/documents/rare", '{"n":7}', MERGE, actor="cyd")
        self.client.made("PATCH", "/v1/documents/rare", '{"dee":1}', MERGE, actor="dee")
        self.client.made("POST", "/v1/undo", '{"all":{"actor":"dee"},"documents":["rare"]}')
        self.client.made("PUT", "/v1/documents/drafts~%2Frare?copyOf=rare")
        self.client.made("PATCH", "/v1/documents/drafts~%2Frare", '{"draft":1}', MERGE)
        self.client.made("PUT", DOCUMENT + "/tags/first")
        self.client.made("PUT", POINT)
        versions = size if axis == "versions" else 1_500
        self.server.burst(versions, "PATCH", DOCUMENT, '{"n":#}', MERGE)
        self.widen(versions)
        self.grow(versions)
        if axis == "documents":
            self.server.burst(size, "PUT", "/v1/documents/other-#", '{"n":#,"text":"a small document"}')
        self.finish()
        self.server.vacuum()

    def fill(self, bytes):
        """Half of it one text, half of it rows."""
        self.value["long"] = "a line of text " * (bytes // 30)
        self.value["rows"] = [{str(at): {"name": "a line of text", "count": at}
                               for at in range(first, first + 30)}
                              for first in range(0, bytes // 90, 30)]

    def widen(self, versions):
        """A document with a scope of many changes, one of which is another actor's."""
        self.client.made("PUT", WIDE, '{"n":0}')
        self.client.made("POST", WIDE + "/scopes/push", actor="")
        self.server.burst(versions, "PATCH", WIDE, '{"n":#}', MERGE)
        self.client.made("PATCH", WIDE, '{"text":"bob"}', MERGE, actor="bob")

    def grow(self, versions):
        """A document in which others have added members to what ada has made."""
        self.client.made("PUT", GROWN, '{"n":0}', actor="bob")
        self.client.made("PATCH", GROWN, '{"m":{}}', MERGE)
        self.server.burst(versions, "PATCH", GROWN, '{"m":{"k#":#}}', MERGE)

    def finish(self):
        client = self.client
        client.made("PUT", DOCUMENT + "/snapshots/one", '{"paths":["/n"]}')
        client.made("PUT", "/v1/documents/draft?copyOf=bench", None)
        client.made("PATCH", "/v1/documents/draft", '{"dish":"salad"}', MERGE)
        for name in ("bench", "rare"):
            client.made("PATCH", "/v1/documents/" + name, '{"run":1}', MERGE, actor="agent/run-1")
        client.made("PATCH", DOCUMENT, '{"text":"bob"}', MERGE, actor="bob")
        client.made("PATCH", DOCUMENT, '{"text":"cyd"}', MERGE, actor="cyd")
        client.made("POST", DOCUMENT + "/undo")
        # A longer history is not copied.
        history = "&withHistory=true" if client.made("GET", DOCUMENT + "/status")["revision"] < 90_000 else ""
        for name in ("gone", "scoped"):
            client.made("PUT", f"/v1/documents/{name}?copyOf=bench{history}", None)
        client.made("DELETE", GONE)
        client.made("POST", SCOPED + "/push")
        client.made("PATCH", "/v1/documents/scoped", '{"text":"scoped"}', MERGE)
        last = client.made("GET", DOCUMENT + "/status")["revision"]
        self.words |= {"last": last, "middle": last // 2, "old": last - 1_000,
                       "far": last - last // 100 * 33,
                       "value": compact(self.value | {"n": -2})}
        self.rest()

    def rest(self):
        """Waits until the daemon has done what it does when it has time."""
        # The index of runs reads a long burst in the background, and the call says so.
        for _ in range(600):
            if self.client.send("GET", "/v1/runs?limit=1")[0] == 200:
                break
            time.sleep(0.1)
        self.settle(0.3, 2_000_000)

    def filled(self, text):
        if text is None:
            return None
        for word, value in self.words.items():
            text = text.replace(f'"@{word}"' if word == "value" else "@" + word, str(value))
        return text

    def cost(self, row):
        """Microseconds of CPU of one call: the least of some, the first of which is left out."""
        body = self.words["value"] if row.body == "@value" else self.filled(row.body)
        costs = []
        for _ in range(row.rounds + (row.rounds > 1)):
            for call in row.before:
                self.client.made(*call)
            self.settle()
            before = self.server.run_time()
            status, text = self.client.send(row.method, self.filled(row.path), body, row.kind)
            assert status // 100 in {one // 100 for one in row.statuses}, (row.name, status, text[:300])
            self.settle()
            costs.append((self.server.run_time() - before) / 1000)
        return min(costs[row.rounds > 1:])

    def settle(self, pause=0.001, idle=0):
        """Waits until the daemon runs for at most this number of nanoseconds in a pause: a call may leave work."""
        before = -1 - idle
        while (now := self.server.run_time()) - before > idle:
            before = now
            time.sleep(pause)


def measured(start, axis, size):
    scene = Scene(start, axis, size)
    try:
        return [scene.cost(row) for row in ROWS]
    finally:
        scene.server.stop()


def exponent(costs, sizes):
    return math.log(max(costs[-1], 1) / max(costs[-2], 1)) / math.log(sizes[-1] / sizes[-2])


def table(start, axis, sizes, slack):
    """Prints the costs, and returns the names of the calls that grow by more than they may."""
    columns = []
    for _ in range(ATTEMPTS):
        again = list(zip(*(measured(start, axis, size) for size in sizes)))
        columns = [tuple(map(min, *both)) for both in zip(columns or again, again)]
        if not any(row.is_over(axis, costs, sizes, slack) for row, costs in zip(ROWS, columns)):
            break
    print(f"\n| {axis} | {' | '.join(f'{size:,}' for size in sizes)} | exponent | may be |")
    print("|---|" + "---|" * (len(sizes) + 2))
    over = []
    for row, costs in sorted(zip(ROWS, columns), key=lambda pair: -pair[1][-1]):
        grown, must = exponent(costs, sizes), row.must[axis]
        isOver = row.is_over(axis, costs, sizes, slack)
        over += [f"{row.name} by {axis}: {grown:.2f}"] if isOver else []
        print(f"| {row.name} | {' | '.join(f'{cost:,.0f}' for cost in costs)} | "
              f"{'**' if isOver else ''}{grown:.2f}{'**' if isOver else ''} | {must} |", flush=True)
    return over


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary")
    options.add_argument("--sizes", default="3000,30000")
    options.add_argument("--axes", default=",".join(AXES))
    options.add_argument("--slack", type=float, default=0.2)
    options.add_argument("--check", action="store_true")
    options.add_argument("--postgresql", action="store_true")
    chosen = options.parse_args()
    missing = set(calls_of_the_table()) - {row.call for row in ROWS}
    if missing:
        sys.exit(f"These calls of Calls.md are not measured: {sorted(missing)}")
    sizes = [int(size) for size in chosen.sizes.split(",")]
    for row in ROWS if chosen.postgresql else ():
        row.in_database()

    def start():
        return with_document(ClusterMember(chosen.binary)) if chosen.postgresql else versiond(chosen.binary)

    over = [name for axis in chosen.axes.split(",") for name in table(start, axis, sizes, chosen.slack)]
    judge(over, "These grow by more than they may:", chosen.check)


if __name__ == "__main__":
    main()
