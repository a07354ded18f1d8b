#!/usr/bin/env python3
"""CPU time per request of two daemons, old and new in turn.

    Benchmarks/cpu.py OLD NEW [ROUNDS]

Wall clock and averages are useless on a shared machine. This asks the kernel for the run time of
all threads (schedstat, nanoseconds) over bursts of requests, shuffles the order in each round, and
prints the median of the ratios within a round, with the middle 95 % of medians of resamples. The
same binary against itself shows the noise.
"""
import glob
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CONNECTIONS = 64
BURSTS = 7
PATH = "/v1/documents/bench"


class Daemon:
    def __init__(self, binary, port):
        self.directory = tempfile.mkdtemp()
        self.port = port
        self.process = subprocess.Popen(
            [binary, "serve", "--port", str(port), "--directory", self.directory,
             "--log-level", "error"], stdout=subprocess.DEVNULL)
        self.sockets = [self.connect() for _ in range(CONNECTIONS)]
        self.count = 0
        text = "x" * 120
        self.burst("PUT", lambda: f'{{"dish":"soup","n":0,"text":"{text}"}}', "json", 1)

    def connect(self):
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", self.port))
            except ConnectionRefusedError:
                time.sleep(0.05)
        sys.exit(f"port {self.port}: no daemon")

    def burst(self, method, body, kind, count):
        """One request on each connection, then all responses."""
        for end in self.sockets[:count]:
            text = body()
            head = f"{method} {PATH} HTTP/1.1\r\nHost: localhost\r\n"
            if text:
                head += f"Content-Type: application/{kind}\r\nContent-Length: {len(text)}\r\n"
            end.sendall((head + "\r\n" + text).encode())
        for end in self.sockets[:count]:
            data = end.recv(65536)
            assert data.startswith(b"HTTP/1.1 2"), data

    def run_time(self):
        files = glob.glob(f"/proc/{self.process.pid}/task/*/schedstat")
        return sum(int(open(file).read().split()[0]) for file in files)

    def patch(self):
        self.count += 1
        return f'{{"n":{self.count}}}'

    def measure(self, method):
        """Nanoseconds of CPU per request."""
        before = self.run_time()
        for _ in range(BURSTS):
            self.burst(method, self.patch if method == "PATCH" else lambda: "",
                       "merge-patch+json", CONNECTIONS)
        return (self.run_time() - before) / (BURSTS * CONNECTIONS)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory)


def interval(ratios):
    medians = sorted(
        statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(1000))
    return medians[25], medians[974]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    daemons = [Daemon(os.path.abspath(binary), 8391 + at) for at, binary in
               enumerate(sys.argv[1:3])]
    try:
        for method in ("GET", "PATCH"):
            figures = ([], [])
            for _ in range(rounds):
                for at in random.sample((0, 1), 2):
                    figures[at].append(daemons[at].measure(method))
            ratios = [new / old for old, new in zip(*figures)]
            low, high = interval(ratios)
            quiet = [sorted(values)[len(values) // 6] / 1000 for values in figures]
            print(f"{method}: new / old {statistics.median(ratios):.3f} [{low:.3f} {high:.3f}],"
                  f" quiet {quiet[0]:.1f} and {quiet[1]:.1f} us")
    finally:
        for daemon in daemons:
            daemon.stop()


main()
