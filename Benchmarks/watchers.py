#!/usr/bin/env python3
"""The cost of two clients that only watch, while a third types in a long document.

    Benchmarks/watchers.py BINARY [BINARY …] [--changes 150000] [--check]

After each edit, as client.js does, both ask what they could undo: one who has never typed, and one
who did at the beginning. The figures are percent of a core with and without them, and the longest
answer. With --check, more than 5 percent for both is an error.
"""

import argparse
import sys
import time

from measuring import Client, DOCUMENT, MERGE, versiond

EDITS, PAUSE = 30, 0.3
LIMIT = 5


def share(server, client, watchers):
    """Percent of a core during edits, and the longest response to a watcher in seconds."""
    longest, before, start = 0, server.run_time(), time.perf_counter()
    for number in range(EDITS):
        client.made("PATCH", DOCUMENT, f'{{"n":{-number}}}', MERGE, actor="bob")
        for actor in watchers:
            asked = time.perf_counter()
            client.made("GET", f"{DOCUMENT}/status?actor={actor}", actor=actor)
            longest = max(longest, time.perf_counter() - asked)
        rest = start + (number + 1) * PAUSE - time.perf_counter()
        time.sleep(max(0, rest))
    return (server.run_time() - before) / 1e7 / (time.perf_counter() - start), longest


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binaries", nargs="+")
    options.add_argument("--changes", type=int, default=150_000)
    options.add_argument("--check", action="store_true")
    chosen = options.parse_args()
    over = False
    print("| binary | alone, % | with two who watch, % | longest answer, ms | memory, MB |\n|---|---|---|---|---|")
    for binary in chosen.binaries:
        server = versiond(binary)
        client = Client(server)
        client.made("PATCH", DOCUMENT, '{"dish":"stew"}', MERGE, actor="ada")
        server.burst(chosen.changes, "PATCH", DOCUMENT, '{"n":#}', MERGE)
        time.sleep(3)
        alone, _ = share(server, client, ())
        # The search for old own work happens once.
        client.made("GET", f"{DOCUMENT}/status?actor=ada", actor="ada")
        both, longest = share(server, client, ("newcomer", "ada"))
        over |= both - alone > LIMIT
        print(f"| {binary} | {alone:.1f} | {both:.1f} | {longest * 1000:.1f} | {server.memory() / 1e6:.0f} |", flush=True)
        server.stop()
    if chosen.check and over:
        sys.exit("Who only watches costs too much.")


if __name__ == "__main__":
    main()
