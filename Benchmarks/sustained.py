#!/usr/bin/env python3
"""Sustained durable writes: CPU of each, and how many a second, with all background work.

    Benchmarks/sustained.py [BINARY] [--seconds 30] [--rounds 3]

64 clients write without a pause, to versiond, a C program (C/limit.c), PostgreSQL, Redis and etcd in
turn. After its turn each server is left alone until it rests: what it packs or checkpoints late is
counted as CPU of the writes that caused it, and does not disturb the turns of the others. Run it on
an idle machine.
"""

import argparse
import os
import statistics
import sys
import time

import peers
from measuring import DOCUMENT, HERE, MERGE, row

CHUNK = 4_000
# A server rests when it takes less than 2 % of a core for that many seconds.
REST_SECONDS, REST_SHARE, REST_MAX = 2, 0.02, 300


class Writing(peers.OverHTTP):
    """A PATCH of one document by all clients, for some seconds, with the CPU of all it causes."""

    def __init__(self, server, name):
        super().__init__(server, name)
        self.cpu = []

    def rate(self, seconds):
        self.server.hang_up()
        before, start = self.server.run_time(), time.monotonic()
        elapsed = count = 0
        while elapsed < seconds:
            self.server.burst(CHUNK, "PATCH", DOCUMENT, '{"n":#}', MERGE)
            count += CHUNK
            elapsed = time.monotonic() - start
        self.rest()
        self.cpu.append((self.server.run_time() - before) / count / 1000)
        return count / elapsed

    def rest(self):
        """Until nothing is left to be done."""
        for _ in range(REST_MAX):
            before = self.server.run_time()
            time.sleep(REST_SECONDS)
            if self.server.run_time() - before < REST_SHARE * REST_SECONDS * 1e9:
                return
        sys.exit(f"{self.name} does not come to rest")


def table(binary, seconds, rounds):
    contestants, rates = peers.rates(Writing, binary, seconds, rounds)
    lines = [row("durable writes that go on, 64 clients", "a second", "versiond does", "CPU, µs",
                 "versiond takes"), "|---|---|---|---|---|"]
    first = contestants[0]
    for contestant, found in zip(contestants, rates):
        cells = [contestant.name, f"{statistics.median(found):,.0f}",
                 f"{statistics.median(a / b for a, b in zip(rates[0], found)):.2f} ×"]
        if isinstance(contestant, Writing):
            times = statistics.median(a / b for a, b in zip(first.cpu, contestant.cpu))
            cells += [f"{statistics.median(contestant.cpu):.1f}", f"{times:.2f} ×"]
        else:
            cells += ["-", "-"]
        lines.append(row(*cells))
        print(lines[-1], file=sys.stderr)
    return lines


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument(
        "binary", nargs="?", default=os.path.join(HERE, "../.build/release/versiond"))
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    peers.install()
    print("\n".join(table(chosen.binary, chosen.seconds, chosen.rounds)))


if __name__ == "__main__":
    main()
