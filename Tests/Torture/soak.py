#!/usr/bin/env python3
"""Mixed load for half an hour: what must not grow does not grow.

Clients change, undo and read, followers come and go, some read nothing. Every ten seconds the
memory, the descriptors, the threads and the log are measured; at the end their slopes over the
second half are printed, and must be small. Usage: Tests/Torture/soak.py [--minutes 30] [--seed 1]
"""

import argparse
import os
import random
import shutil
import signal
import socket
import tempfile
import time

from client import Client, Follower
from torture import World, check_calls, check_order, require

# The limits on the growth of the second half, per hour.
BOUNDS = {"memory MB": 60, "descriptors": 20, "threads": 1, "log MB": 20}
LOG_BYTES_MAX = 64 << 20
LOADED_BYTES_MAX = 16 << 20


def measure(world):
    base = f"/proc/{world.daemon.pid}"
    with open(base + "/status") as file:
        status = dict(line.split(":", 1) for line in file)
    log = os.path.join(world.data, "journal.sqlite-wal")
    return {
        "memory MB": int(status["VmRSS"].split()[0]) / 1024,
        "descriptors": len(os.listdir(base + "/fd")),
        "threads": int(status["Threads"]),
        "log MB": (os.path.getsize(log) if os.path.exists(log) else 0) / (1 << 20),
    }


def slope(samples, name):
    """Of the second half, in an hour: least squares."""
    half = samples[len(samples) // 2 :]
    times = [at / 3600 for at, _ in half]
    values = [value[name] for _, value in half]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in times)
    return sum((at - middle) * (value - mean) for at, value in zip(times, values)) / spread


def come_and_go(world, count):
    """Followers that read nothing, and leave without a word."""
    lines = []
    for _ in range(count):
        line = socket.create_connection(("127.0.0.1", world.port))
        line.sendall(b"GET /v1/feed HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        lines.append(line)
    time.sleep(0.2)
    for line in lines:
        line.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default=os.path.join(os.path.dirname(__file__), "../../.build/debug/versiond"))
    options = parser.parse_args()
    work = os.path.realpath(tempfile.mkdtemp())
    world = World(work, os.path.abspath(options.binary), options.seed, is_faulty=False)
    # Documents stay loaded up to a bound: it is reached early, and from then on nothing may grow.
    world.start(VERSIOND_LOADED_BYTES_MAX=LOADED_BYTES_MAX)
    begin, samples, sent = time.monotonic(), [], 0
    end = begin + options.minutes * 60
    turn = 0
    while time.monotonic() < end:
        # New clients each time: their responses are checked and forgotten.
        turn += 1
        world.cycle, world.is_over = turn, False
        clients = [Client(world, n, random.Random(options.seed + turn * 10 + n).random()) for n in range(4)]
        followers = [Follower(world, shape) for shape in ("lines", "events", "poll")]
        for thread in clients + followers:
            thread.start()
        come_and_go(world, 20)
        time.sleep(max(0.1, min(10, end - time.monotonic())))
        samples.append((time.monotonic() - begin, measure(world)))
        world.is_over = True
        for thread in clients + followers:
            thread.join(30)
        world.read_journal()
        calls = [call for client in clients for call in client.calls]
        check_calls(world.history, calls)
        check_order(world.history, calls)
        sent += len(calls)
        world.forget()
    is_flat = True
    last = samples[-1][1]
    print(f"{sent} requests in {options.minutes:g} minutes, {len(samples)} samples")
    for name, bound in BOUNDS.items():
        growth = slope(samples, name) if len(samples) > 3 else 0
        is_short = options.minutes < 10
        is_flat = is_flat and (is_short or growth <= bound)
        print(f"{name:12} {last[name]:8.1f} at the end, {growth:+8.1f} in an hour (bound {bound})")
    require(last["log MB"] < LOG_BYTES_MAX >> 20, "the log is too long")
    world.end(signal.SIGTERM)
    shutil.rmtree(work)
    raise SystemExit(0 if is_flat else 1)


if __name__ == "__main__":
    main()
