#!/usr/bin/env python3
"""Durable PATCHes of 1 to 1,024 clients, compared with a minimal C program and a bare write and sync.

    Benchmarks/clients.py BINARY [BINARY...] [--rounds N]

Everything in turn, in one run. Of one client the time counts: half of its requests took less. Of many the rate and
the CPU do. Ratios are medians over the rounds, with the interval that the medians of 95 % of resamples fall into.
"""

import argparse
import os
import subprocess

from measuring import DOCUMENT, MERGE, compiled, in_turn, interval, limit, ratio, versiond

CLIENTS = (64, 256, 1024)
ALONE = 400
# The bytes that one PATCH writes to the log: three pages of 1 KB, each with a head.
WRITTEN = 3 * (1024 + 24)


class Raw:
    """Bytes written and synced, in the directory of another server, so on the same disk."""

    def __init__(self, directory):
        self.name = "raw"
        self.process = subprocess.Popen(
            [compiled("raw"), os.path.join(directory, "raw"), str(WRITTEN)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def alone(self):
        self.process.stdin.write(f"{ALONE}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[1])

    def stop(self):
        self.process.kill()
        self.process.wait()


def alone(server):
    """Microseconds that half of the requests of one client took at most."""
    if isinstance(server, Raw):
        return server.alone()
    return server.burst(ALONE, "PATCH", DOCUMENT, '{"n":#}', MERGE, connections=1)[1]


def many(server):
    """For each number of clients the rate and the CPU of one request."""
    found = []
    for clients in CLIENTS:
        requests = max(4096, 4 * clients)
        before = server.run_time()
        seconds = server.burst(requests, "PATCH", DOCUMENT, '{"n":#}', MERGE, connections=clients)[0]
        found.append((requests / seconds, (server.run_time() - before) / requests / 1000))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binaries", nargs="+")
    options.add_argument("--rounds", type=int, default=30)
    chosen = options.parse_args()
    servers = [versiond(binary, os.path.basename(binary)) for binary in chosen.binaries] + [limit()]
    raw = Raw(servers[0].directory)
    try:
        lone = in_turn([*servers, raw], chosen.rounds, alone)
        rates = in_turn(servers, chosen.rounds, many)
    finally:
        for server in [raw, *servers]:
            server.stop()
    print("one client, us: raw", f"{interval(lone[-1])[0]:.0f};", "; ".join(
        f"{server.name} {interval(times)[0]:.0f}, {ratio(times, lone[-1])} of raw, {ratio(times, lone[-2])} of C"
        for server, times in zip(servers, lone)))
    for server, rounds in zip(servers, rates):
        print(server.name, end=":")
        first = [figures[0][0] for figures in rounds]
        for at, clients in enumerate(CLIENTS):
            rate = [figures[at][0] for figures in rounds]
            cpu = [figures[at][1] for figures in rounds]
            print(f" {clients} clients {interval(rate)[0]:,.0f}/s, {ratio(rate, first)} of {CLIENTS[0]}, "
                  f"{interval(cpu)[0]:.1f} us;", end="")
        print()


if __name__ == "__main__":
    main()
