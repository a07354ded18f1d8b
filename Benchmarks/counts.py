#!/usr/bin/env python3
"""Allocations and references counted per request, exactly: what a busy machine cannot blur.

    Benchmarks/counts.py BINARY [--check]

Each request is alone, so a change is a commit of its own. With --check, more than LIMITS is an
error: then something hot has begun to allocate or to copy. A build that is better may lower them.
The binary must have been built with the shared Swift libraries (Scripts/release).
"""

import argparse
import mmap
import os
import struct
import sys
import tempfile

from measuring import DOCUMENT, MERGE, compiled, versiond

REQUESTS = 500
# The daemon's other work only adds to the counts, and adds more on a busy machine: the least of
# several rounds counts.
ROUNDS = 5
NAMES = ("allocations", "retains", "releases")
# Somewhat above what was measured when they were set.
LIMITS = {
    "GET": (31, 87, 134),
    # A batch has a place for an update of the index: 8 retains and releases a commit. Whether an entry
    # is a record of the daemon, of an open run for example, is seen by its name: 3 retains. The text of a
    # response knows which documents its reader may know of: 2 retains and releases.
    "PATCH": (90, 464, 608),
    "undo": (107, 680, 870),
}


class Counters:
    def __init__(self):
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(bytes(8 * len(NAMES)))
        self.file.flush()
        self.map = mmap.mmap(self.file.fileno(), 8 * len(NAMES))

    def now(self):
        return struct.unpack(f"{len(NAMES)}Q", self.map[:])

    def of(self, body):
        before = self.now()
        body()
        return [(after - first) / REQUESTS for first, after in zip(before, self.now())]


def measured(binary):
    counters = Counters()
    server = versiond(binary, environment={
        "LD_PRELOAD": compiled("counts.so", "dl"), "COUNTS": counters.file.name})

    def send(method, path, body="", kind="application/json"):
        return lambda: server.burst(REQUESTS, method, path, body, kind, connections=1)

    requests = {
        "GET": send("GET", DOCUMENT),
        "PATCH": send("PATCH", DOCUMENT, '{"n":#}', MERGE),
        "undo": send("POST", DOCUMENT + "/undo"),
    }
    try:
        # One-time work comes first: caches, buffers, the first pages of a log.
        for name in ("GET", "PATCH", "PATCH"):
            requests[name]()
        rounds = [
            {name: counters.of(request) for name, request in requests.items()}
            for _ in range(ROUNDS)]
        return {name: [min(found) for found in zip(*(one[name] for one in rounds))]
                for name in requests}
    finally:
        server.stop()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary")
    options.add_argument("--check", action="store_true")
    chosen = options.parse_args()
    isOver = False
    print(f"{'a request':<10}" + "".join(f"{name:>14}{'at most':>9}" for name in NAMES))
    for name, figures in measured(os.path.abspath(chosen.binary)).items():
        cells = ""
        for figure, limit in zip(figures, LIMITS[name]):
            isOver |= figure > limit
            cells += f"{figure:>14.1f}{limit:>9}"
        print(f"{name:<10}{cells}")
    if chosen.check and isOver:
        sys.exit("A hot request costs more than it may: see LIMITS in Benchmarks/counts.py.")


if __name__ == "__main__":
    main()
