#!/usr/bin/env python3
"""Drafts: what comparing, updating and merging one costs, and an edit far behind.

Needs a release build. Usage: Benchmarks/drafts.py [path of versiond]. CPU is the daemon's own, of all
its threads; all of it is dry runs, so that the distance stays what it is.
"""
import json
import statistics
import sys
import time

from measuring import Client, MERGE, versiond

PATCH = "application/json-patch+json"
ROUNDS = 9
LINES = 400


def measured(server, body):
    """Milliseconds and CPU in milliseconds of a call: the medians of some."""
    times, cpus = [], []
    for _ in range(ROUNDS):
        cpu, start = server.run_time(), time.perf_counter()
        body()
        times.append((time.perf_counter() - start) * 1000)
        cpus.append((server.run_time() - cpu) / 1e6)
    return f"{statistics.median(times):.1f} ms, {statistics.median(cpus):.1f} ms of CPU"


def edit(number, side):
    """Fields, elements that come and go, what is in elements, and text, in turn."""
    line = f"/lines/{(number * 37) % LINES}"
    match number % 5:
        case 0:
            return [{"op": "add", "path": f"/fields/{side}{number}", "value": number}]
        case 1:
            return [{"op": "replace", "path": f"{line}/{side}", "value": number}]
        case 2:
            return [{"op": "add", "path": line, "value": {"id": f"{side}{number}", side: 0}},
                    {"op": "remove", "path": f"/lines/{(number * 37) % LINES + 1}"}] \
                if side == "d" and number % 50 == 2 else \
                [{"op": "add", "path": f"/fields/x{side}{number}", "value": "x"}]
        case 3:
            return [{"op": "str_ins", "path": f"/texts/{number % 10}", "pos": number % 20,
                     "str": side}]
        case _:
            return [{"op": "replace", "path": f"/rows/{number % 100}/{side}", "value": number}]


def draft(server, ahead, behind):
    client, name = Client(server), f"menu{ahead}x{behind}"
    lines = [{"id": n, "d": 0, "m": 0} for n in range(LINES)]
    rows = [{"d": 0, "m": 0} for _ in range(100)]
    texts = ["the quick brown fox jumps over the lazy dog"] * 10
    value = {"fields": {}, "lines": lines, "rows": rows, "texts": texts}
    client.made("PUT", f"/v1/documents/{name}", json.dumps(value))
    client.made("PUT", f"/v1/documents/{name}~ada?copyOf={name}")
    for number in range(ahead):
        client.made(
            "PATCH", f"/v1/documents/{name}~ada", json.dumps(edit(number, "d")), PATCH)
    for number in range(behind):
        client.made(
            "PATCH", f"/v1/documents/{name}", json.dumps(edit(number, "m")), PATCH, "bob")
    path = f"/v1/documents/{name}~ada"
    found = client.made("GET", f"{path}/origin?brief")
    print(f"draft of {ahead} changes ({found['ahead']['edits']} edits) over {behind} "
          f"({found['behind']['edits']} edits), {len(found['conflicts'])} conflicts:")
    for what, method, address in [
            ("compare", "GET", f"{path}/origin?brief"),
            ("merge", "POST", f"{path}/merge?dryRun&conflict=draft"),
            ("update", "POST", f"{path}/update?dryRun&conflict=draft")]:
        print(f"  {what} {measured(server, lambda: client.made(method, address))}")


def conflicts(server, count):
    """Both sides have changed the same members, each by a change of its own."""
    client, name = Client(server), f"form{count}"
    client.made("PUT", f"/v1/documents/{name}", json.dumps(dict.fromkeys(map(str, range(count)), 0)))
    client.made("PUT", f"/v1/documents/{name}~ada?copyOf={name}")
    for side, value in [(f"{name}~ada", 1), (name, 2)]:
        for number in range(count):
            client.made(
                "PATCH", f"/v1/documents/{side}", json.dumps({str(number): value}), MERGE, side)
    path = f"/v1/documents/{name}~ada/origin?brief"
    assert len(client.made("GET", path)["conflicts"]) == count
    print(f"{count} conflicts: compare {measured(server, lambda: client.made('GET', path))}")


def behind(server, count):
    """An edit of a state that many revisions were made since, elsewhere in the document."""
    client = Client(server)
    client.made("PUT", "/v1/documents/far", json.dumps({"a": 0, "f": {}}))
    for number in range(count):
        client.made(
            "PATCH", "/v1/documents/far", json.dumps({"f": {f"k{number % 500}": number}}), MERGE)
    for what, base in [("head", ""), ("far", "&base=0")]:
        address = f"/v1/documents/far?dryRun{base}"
        taken = measured(
            server, lambda: client.made("PATCH", address, '{"a":1}', MERGE))
        print(f"an edit of {what if what == 'head' else f'a state {count} revisions ago'}: {taken}")


def main():
    server = versiond(sys.argv[1] if len(sys.argv) > 1 else ".build/release/versiond")
    try:
        draft(server, 100, 20)
        draft(server, 1_000, 200)
        for count in [500, 1_000, 2_000]:
            conflicts(server, count)
        behind(server, 9_990)
    finally:
        server.stop()


main()
