#!/usr/bin/env python3
"""Runs: pages of the list and of one run, undo of a run among many other changes and in many documents,
the price of an edit by a run, and a restore to a restore point.

Needs a release build. Usage: Benchmarks/runs.py [path of versiond] [--check]. Times are those of the
quietest call; CPU is the daemon's own, of all its threads. With --check, a missed goal is an error.
"""
import json
import statistics
import sys
import threading
import time

from measuring import Client, MERGE, judge, versiond

DOCUMENTS = 1_000
EDITS = 10
CALLS = 40


def filled(server, runs):
    """Runs of ten edits in ten documents each, spread over all documents."""
    client = Client(server)
    first = [{"document": f"d/{n:04}", "value": {"n": 0}} for n in range(DOCUMENTS)]
    for start in range(0, DOCUMENTS, 100):
        client.made("POST", "/v1/transactions", json.dumps({"changes": first[start:start + 100]}))
    number = 0
    for start in range(0, runs):
        places = [(start * 7 + step * 101) % DOCUMENTS for step in range(EDITS)]
        for place in places:
            number += 1
            client.made("PATCH", f"/v1/documents/d%2F{place:04}?label=run", f'{{"k{start % 50}":{number}}}',
                        MERGE, f"agent/run-{start}")
    return client


def milliseconds(body):
    start = time.perf_counter()
    body()
    return (time.perf_counter() - start) * 1000


def quietest(body, calls=CALLS):
    """Milliseconds of the quietest of some calls."""
    return min(milliseconds(lambda: body(number)) for number in range(calls))


def lists(client, calls=CALLS):
    return quietest(lambda _: client.made("GET", "/v1/runs?limit=50"), calls)


def one_run(client, runs):
    return quietest(lambda number: client.made("GET", f"/v1/runs/agent%2Frun-{(number * 37) % runs}"))


def undo(client, runs):
    """Undo of runs, one after the other, in ten documents each."""
    def body(number):
        run = f"agent/run-{(number * 53) % runs}"
        client.made("POST", "/v1/undo?conflict=theirs", json.dumps({"all": {"actor": run}}))
    return quietest(body, 20)


def edits(server, client, rounds=15, count=300):
    """CPU of an edit by a run, divided by that of an edit by a person: the median of rounds in turn."""
    def cpu(actor, number):
        before = server.run_time()
        for edit in range(count):
            client.made("PATCH", f"/v1/documents/d%2F{number:04}", f'{{"b":{edit}}}', MERGE, actor)
        return server.run_time() - before
    ratios = []
    for number in range(rounds):
        person, run = cpu("ada", number), cpu(f"agent/run-{number}", number)
        ratios.append(run / person)
    return statistics.median(ratios)


def changes(client, documents, run, member):
    """A run changes documents in transactions of a hundred, which exist."""
    for start in range(0, documents, 100):
        parts = [{"document": f"d/{n:04}", "merge": {member: 1}} for n in range(start, start + 100)]
        client.made("POST", "/v1/transactions", json.dumps({"changes": parts}), actor=run)


class Writer(threading.Thread):
    """Writes to another document again and again, and notes how long each write waits."""

    def __init__(self, server):
        super().__init__()
        self.client, self.waits, self.is_over = Client(server), [], False

    def run(self):
        self.client.made("PUT", "/v1/documents/other", "{}")
        number = 0
        while not self.is_over:
            number += 1
            self.waits.append(milliseconds(lambda: self.client.made(
                "PATCH", "/v1/documents/other", f'{{"n":{number}}}', MERGE)))


def undo_of_many(server, client, documents, calls=5):
    """Milliseconds of an undo of a run in many documents; then the longest wait of a write meanwhile."""
    runs = [f"agent/many-{documents}-{number}" for number in range(2 * calls)]
    for run in runs:
        changes(client, documents, run, run)

    def undone(number):
        client.made("POST", "/v1/undo", json.dumps({"all": {"actor": runs[number]}}))
    alone = quietest(undone, calls)
    writer = Writer(server)
    writer.start()
    for number in range(calls, 2 * calls):
        undone(number)
    writer.is_over = True
    writer.join()
    return alone, max(writer.waits)


def undo_of_long(client, documents=10, versions=3_000, calls=15):
    """Milliseconds of an undo of a run in documents with many older versions: the median of some, one
    after the other, none of which may read more than the one before."""
    def change(number, document, actor):
        client.made("PATCH", f"/v1/documents/long%2F{document}", f'{{"n":{number}}}', MERGE, actor)

    for document in range(documents):
        client.made("PUT", f"/v1/documents/long%2F{document}", "{}")
        for number in range(versions):
            change(number, document, "ada")
    taken = []
    for number in range(calls):
        run = f"agent/long-{number}"
        for document in range(documents):
            change(-1 - number, document, run)
        body = json.dumps({"all": {"actor": run}})
        taken.append(milliseconds(lambda: client.made("POST", "/v1/undo", body)))
    return statistics.median(taken)


def restore(client, after):
    """Milliseconds of a restore of ten documents of a thousand, after this number of changes to them."""
    client.made("PUT", "/v1/restore-points/before", '{"prefix":"d/"}')
    for number in range(after):
        client.made("PATCH", f"/v1/documents/d%2F{number % 10:04}", f'{{"n":{number + 1}}}', MERGE)
    return quietest(lambda _: client.made(
        "POST", "/v1/restore?dryRun=true", '{"to":"restore-point:before"}'), 5)


def many(binary):
    """The figures of requests over many documents: milliseconds by their names."""
    server = versiond(binary)
    try:
        client = filled(server, 0)
        (hundred, _), (thousand, wait) = (undo_of_many(server, client, count) for count in (100, 1_000))
        return {
            "undo of 100 documents": hundred, "undo of 1,000 documents": thousand,
            "another write during it": wait, "restore after 1,000 changes": restore(client, 1_000),
            "restore after 20,000 changes": restore(client, 20_000),
            "undo of 10 documents of 3,000 versions": undo_of_long(client),
        }
    finally:
        server.stop()


def main():
    is_checked = "--check" in sys.argv
    arguments = [one for one in sys.argv[1:] if not one.startswith("--")]
    binary = arguments[0] if arguments else ".build/release/versiond"
    over, found = [], {}
    for runs in (100, 10_000):
        server = versiond(binary)
        try:
            client = filled(server, runs)
            found[runs] = {
                "list": lists(client), "run": one_run(client, runs), "undo": undo(client, runs),
            }
            found[runs]["fresh"] = lists(client, 1)
            found[runs]["edit"] = edits(server, client)
        finally:
            server.stop()
        print(f"{runs:6} runs, {runs * EDITS} edits: page of 50 {found[runs]['list']:.2f} ms "
              f"({found[runs]['fresh']:.2f} ms the first time after 20 undos), page of a run of {EDITS} documents "
              f"{found[runs]['run']:.2f} ms, undo of it {found[runs]['undo']:.2f} ms; CPU of an edit by a run "
              f"{found[runs]['edit']:.3f} times that of one by a person", flush=True)
    small, large = found[100], found[10_000]
    for name, goal in (("list", 3), ("run", 10), ("undo", 6)):
        if large[name] > goal:
            over.append(f"{name} {large[name]:.2f} ms of {goal}")
    if large["list"] > 1.2 * small["list"] + 0.3:
        over.append(f"list {large['list'] / small['list']:.2f} times that of 100 runs")
    if large["edit"] > 1.12:
        over.append(f"edit by a run {large['edit']:.3f} of 1.12")
    found = many(binary)
    for name, taken in found.items():
        print(f"{name}: {taken:.1f} ms", flush=True)
    for name, goal in (("undo of 100 documents", 25), ("undo of 1,000 documents", 300),
                       ("another write during it", 20),
                       ("undo of 10 documents of 3,000 versions", 6)):
        if found[name] > goal:
            over.append(f"{name} {found[name]:.1f} ms of {goal}")
    if found["restore after 20,000 changes"] > 3 * found["restore after 1,000 changes"] + 5:
        over.append("a restore grows with the changes since its restore point")
    judge(over, "More than the goals:", is_checked)


if __name__ == "__main__":
    main()
