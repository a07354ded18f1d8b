#!/usr/bin/env python3
"""Transactions compared with the same requests without them, and undo of many edits at once.

Needs a release build. Usage: Benchmarks/transactions.py [path of versiond]. Each pair takes turns in
one run; CPU is the daemon's own, of all its threads.
"""
import json
import statistics
import sys
import threading
import time

from measuring import Client, MERGE, versiond

ROUNDS = 15
DOCUMENTS = 10
SELECTED = 10_000


def measured(server, count, body):
    """Milliseconds and CPU in microseconds for each of some calls."""
    cpu, start = server.run_time(), time.perf_counter()
    for number in range(count):
        body(number)
    seconds = time.perf_counter() - start
    return seconds * 1000 / count, (server.run_time() - cpu) / count / 1000


def ten_documents(server):
    client, value = Client(server), 0
    names = [f"ten-{n}" for n in range(DOCUMENTS)]
    for name in names:
        client.made("PUT", f"/v1/documents/{name}", '{"n":0}')

    def together(number):
        changes = [{"document": name, "merge": {"n": f"t{number}-{value}"}} for name in names]
        client.made("POST", "/v1/transactions", json.dumps({"changes": changes}))

    def apart(number):
        for name in names:
            client.made(
                "PATCH", f"/v1/documents/{name}", f'{{"n":"p{number}-{value}"}}', MERGE)

    times, cpus, all_times = [], [], []
    for value in range(ROUNDS):
        one, ten = measured(server, 20, together), measured(server, 20, apart)
        times.append(one[0] / ten[0])
        cpus.append(one[1] / ten[1])
        all_times.append((one[0], ten[0], one[1], ten[1]))
    middle = [statistics.median(column) for column in zip(*all_times)]
    print(f"{DOCUMENTS} documents: one transaction {middle[0]:.2f} ms, {middle[2]:.0f} µs of CPU; "
          f"{DOCUMENTS} PATCHes {middle[1]:.2f} ms, {middle[3]:.0f} µs of CPU; "
          f"ratio {statistics.median(times):.2f}, CPU {statistics.median(cpus):.2f}")


def hot_document(server, seconds=1.0, writers=8):
    """How many PATCHes a document takes, without and with transactions that are about it."""
    client = Client(server)
    for name in ("hot", "cold"):
        client.made("PUT", f"/v1/documents/{name}", '{"n":0}')

    def rate(has_transactions):
        end, counts = time.perf_counter() + seconds, []

        def write(number):
            mine, count = Client(server), 0
            while time.perf_counter() < end:
                count += 1
                mine.made("PATCH", "/v1/documents/hot", f'{{"k{number}":"{count}"}}', MERGE)
            counts.append(count)

        def transact():
            mine, count = Client(server), 0
            while time.perf_counter() < end:
                count += 1
                changes = [{"document": name, "merge": {"t": f"{end}-{count}"}}
                           for name in ("hot", "cold")]
                mine.made("POST", "/v1/transactions", json.dumps({"changes": changes}))
            done.append(count)

        done = []
        threads = [threading.Thread(target=write, args=(n,)) for n in range(writers)]
        # In addition to the writers, one more client writes or transacts.
        threads.append(
            threading.Thread(target=transact) if has_transactions
            else threading.Thread(target=write, args=(writers,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts[:writers]) if has_transactions else sum(counts) * writers / (writers + 1), \
            sum(done)

    pairs = [(rate(False), rate(True)) for _ in range(ROUNDS)]
    ratio = statistics.median(beside[0] / plain[0] for plain, beside in pairs)
    print(f"hot document: {statistics.median(p[0][0] for p in pairs):.0f} PATCHes/s by {writers}, "
          f"{statistics.median(p[1][0] for p in pairs):.0f} beside "
          f"{statistics.median(p[1][1] for p in pairs):.0f} transactions/s; ratio {ratio:.2f}")


def selection(server):
    """Undo of many edits, with the same number of another actor's between them."""
    client = Client(server)
    client.made("PUT", "/v1/documents/many", "{}")
    for first in range(0, SELECTED, 100):
        for number in range(first, first + 100):
            client.made("PATCH", "/v1/documents/many?label=run", f'{{"k{number % 500}":{number}}}',
                        MERGE, "agent")
    body = '{"all":{"actor":"agent","label":"run"},"documents":["many"]}'
    told, undone, redone = [], [], []
    for _ in range(5):
        told.append(measured(server, 1, lambda _: client.made(
            "POST", "/v1/undo?dryRun", body))[0])
        undone.append(measured(server, 1, lambda _: client.made(
            "POST", "/v1/undo", body))[0])
        redone.append(measured(server, 1, lambda _: client.made(
            "POST", "/v1/redo", body))[0])
    print(f"{SELECTED} edits: undone as one step in {undone[0]:.0f} ms the first time, "
          f"{statistics.median(undone):.0f} ms then; redo {statistics.median(redone):.0f} ms; "
          f"a dry run takes {statistics.median(told):.0f} ms")


def main():
    server = versiond(sys.argv[1] if len(sys.argv) > 1 else ".build/release/versiond")
    try:
        ten_documents(server)
        hot_document(server)
        selection(server)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
