#!/usr/bin/env python3
"""How long others wait while one call is answered: a call must not hold an event loop.

    Benchmarks/holds.py BINARY [--megabytes 30] [--far-back 300000] [--check]

The daemon has one event loop. Beside each call of calls.py on a large document, another client
reads and writes small documents all the time; the figures are the CPU that the loop's own thread
spent on the call, and the longest waits. With --check it is an error if both the CPU on the loop
and a GET's wait are more than LIMIT: data that arrives or leaves piece by piece takes CPU and delays no request,
and a wait for a busy machine takes no CPU.

With --far-back, an actor undoes own work below this number of changes of others, in another place
and in the same, while one of them keeps writing: how long others wait, and the cost. With --check it
is an error if it takes twice as much CPU as without writes: then it restarted.
"""

import argparse
import glob
import multiprocessing
import os
import time

import calls
from measuring import DOCUMENT, MERGE, Client, judge, nanoseconds, versiond

# Milliseconds.
LIMIT = 10
OTHER = "/v1/documents/rare"


class Neighbour(multiprocessing.Process):
    """Reads and writes a small document until it is stopped; notes its longest waits. A process of
    its own: a thread would wait for the one that reads the large response."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.over = server, multiprocessing.Event()
        self.mine, self.others = multiprocessing.Pipe()
        self.start()
        self.mine.recv()

    def run(self):
        client = Client(self.server)
        longest = {"GET": 0, "PATCH": 0}
        self.others.send("begun")
        while not self.over.is_set():
            for method, body in (("GET", None), ("PATCH", '{"n":1}')):
                start = time.perf_counter()
                client.send(method, OTHER, body, MERGE)
                longest[method] = max(longest[method], time.perf_counter() - start)
        self.others.send([longest[method] * 1000 for method in ("GET", "PATCH")])

    def stop(self):
        self.over.set()
        return self.mine.recv()


def loop_time(server):
    """Nanoseconds that the event loop has run."""
    return sum(nanoseconds(os.path.join(task, "schedstat"))
               for task in glob.glob(f"/proc/{server.process.pid}/task/*")
               if open(os.path.join(task, "comm")).read().startswith("http-"))


class Writer(multiprocessing.Process):
    """Writes to the document until it is stopped."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.over = server, multiprocessing.Event()
        self.start()

    def run(self):
        client, number = Client(self.server), 0
        while not self.over.is_set():
            number += 1
            client.made("PATCH", DOCUMENT, f'{{"n":{-number}}}', MERGE)
            time.sleep(0.005)

    def stop(self):
        self.over.set()
        self.join()


def undone(server, is_written):
    """Seconds of CPU of one undo of an old change, how long others waited, and memory in MB."""
    client = Client(server)
    client.made("POST", DOCUMENT + "/redo", '{"actor":"bob"}')
    # A shared undo drops what own undo keeps of a document.
    client.made("POST", DOCUMENT + "/undo?alone=true")
    client.made("POST", DOCUMENT + "/redo?alone=true")
    writer = Writer(server) if is_written else None
    neighbour = Neighbour(server)
    before = server.run_time()
    client.made("POST", DOCUMENT + "/undo", '{"actor":"bob"}')
    used = (server.run_time() - before) / 1e9
    if writer:
        writer.stop()
    return used, neighbour.stop(), server.memory() / 1e6


def far_back(binary, versions, is_checked):
    print("| own undo | CPU, s | longest GET, ms | longest PATCH, ms | memory, MB |\n|---|---|---|---|---|")
    over = []
    for place in ("a", "n"):
        used = far_back_in(place, binary, versions)
        if used[True] > 2 * used[False]:
            over.append(f"{place}: {used[True]:.1f} s beside {used[False]:.1f}")
    judge(over, "It begins anew where others write:", is_checked)


def far_back_in(place, binary, versions):
    """The CPU of an undo of a member, past changes of `n`, alone and while one writes."""
    server, used = versiond(binary), {}
    try:
        client = Client(server)
        client.made("PUT", OTHER, '{"n":0}')
        client.made("PATCH", DOCUMENT, f'{{"{place}":-1}}', MERGE, actor="bob")
        server.burst(versions, "PATCH", DOCUMENT, '{"n":#}', MERGE)
        client.made("POST", DOCUMENT + "/undo", '{"actor":"bob"}')
        for is_written in (False, True):
            used[is_written], (read, write), memory = undone(server, is_written)
            what = f"{'the same' if place == 'n' else 'another'} place, {'while one writes' if is_written else 'alone'}"
            print(f"| {what} | {used[is_written]:.2f} | {read:.1f} | {write:.1f} | {memory:.0f} |", flush=True)
    finally:
        server.stop()
    return used


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary")
    options.add_argument("--megabytes", type=int, default=30)
    options.add_argument("--far-back", type=int)
    options.add_argument("--check", action="store_true")
    chosen = options.parse_args()
    os.environ |= {"VERSIOND_LOOPS": "1", "VERSIOND_BODY_BYTES_MAX": str(64 << 20)}
    if chosen.far_back:
        return far_back(chosen.binary, chosen.far_back, chosen.check)
    scene = calls.Scene(lambda: versiond(chosen.binary), "bytes", chosen.megabytes * 1_000_000 // calls.BYTES)
    over = []
    print("| call | CPU of the loop, ms | longest GET, ms | longest PATCH, ms |\n|---|---|---|---|")
    try:
        for row in calls.ROWS:
            for call in row.before:
                scene.client.made(*call)
            body = scene.words["value"] if row.body == "@value" else scene.filled(row.body)
            before = loop_time(scene.server)
            scene.client.send(row.method, scene.filled(row.path), body, row.kind)
            used = (loop_time(scene.server) - before) / 1e6
            neighbour = Neighbour(scene.server)
            time.sleep(0.02)
            scene.client.send(row.method, scene.filled(row.path), body, row.kind)
            read, write = neighbour.stop()
            if min(used, read) > LIMIT:
                over.append(f"{row.name}: {used:.0f} ms")
            if max(used, read, write) > 5:
                print(f"| {row.name} | {used:.1f} | {read:.1f} | {write:.1f} |", flush=True)
    finally:
        scene.server.stop()
    judge(over, "These hold the event loop:", chosen.check)


if __name__ == "__main__":
    main()
