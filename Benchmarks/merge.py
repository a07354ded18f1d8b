#!/usr/bin/env python3
"""The cost of an edit of an old state: revisions behind x edits in it.

    Benchmarks/merge.py BINARY

CPU time of the daemon for one PATCH with `base`, by the scheduler's own counters: the median of some
dry runs, so that the distance stays what it is. Beside it the same PATCH without a base. The text is
one that many people type into; the list is one that they put elements into.
"""
import glob
import http.client
import json
import statistics
import subprocess
import sys
import tempfile

BEHIND = [1, 10, 100, 1_000, 5_000]
EDITS = [1, 10, 100]
ROUNDS = 9


class Daemon:
    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--directory", tempfile.mkdtemp()],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listens on" in line:
                self.port = int(line.split("127.0.0.1:")[1].split()[0])
                break
        self.line = http.client.HTTPConnection("127.0.0.1", self.port)

    def request(self, method, path, body, kind="json-patch+json"):
        self.line.request(method, path, json.dumps(body), {"Content-Type": "application/" + kind})
        answer = self.line.getresponse()
        text = answer.read()
        assert answer.status < 300, text
        return text

    def time(self):
        """Nanoseconds that all threads have run."""
        files = glob.glob(f"/proc/{self.process.pid}/task/*/schedstat")
        return sum(int(open(file).read().split()[0]) for file in files)

    def cost(self, path, body):
        costs = []
        for _ in range(ROUNDS):
            before = self.time()
            self.request("PATCH", path, body)
            costs.append(self.time() - before)
        return statistics.median(costs) / 1e6


def text(count):
    return [{"op": "str_ins", "path": "/text", "pos": 2 * n, "str": "x"} for n in range(count)]


def elements(count):
    return [{"op": "add", "path": f"/list/{2 * n}", "value": n} for n in range(count)]


def main():
    daemon = Daemon(sys.argv[1])
    print("CPU ms for one PATCH".ljust(24) + "".join(f"{n:>7} behind" for n in BEHIND) + "   no base")
    for name, make in (("letters", text), ("elements", elements)):
        path = f"/v1/documents/{name}"
        daemon.request("PUT", path, {"text": "." * 200, "list": [0] * 200}, "json")
        for _ in range(max(BEHIND)):
            daemon.request("PATCH", path, make(1))
        head = max(BEHIND)
        for count in EDITS:
            costs = [daemon.cost(f"{path}?dryRun&base={head - n}", make(count)) for n in BEHIND]
            costs.append(daemon.cost(f"{path}?dryRun", make(count)))
            print(f"{count:>5} {name}".ljust(24) + "".join(f"{cost:14.2f}" for cost in costs[:-1])
                  + f"{costs[-1]:10.2f}")
    daemon.process.kill()


main()
