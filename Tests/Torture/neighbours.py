#!/usr/bin/env python3
"""Whether large requests of one token delay those of another, and the end of the daemon.

Mallory's four connections send one kind of large request in a loop, to a document each; alice's
requests are timed meanwhile, and then how long the daemon takes to end. Prints a table. The goal
(with a core left for alice): her PUT of 1 MB p99 < 100 ms. Usage:

    Tests/Torture/neighbours.py [--kinds merge,ignored,put,undo] [--seconds 10] [--binary PATH]
"""

import argparse
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from serving import serve

HERE = os.path.dirname(os.path.abspath(__file__))
JSON_PATCH = "application/json-patch+json"


class World:
    def __init__(self, binary):
        self.directory = tempfile.mkdtemp()
        tokens = self.directory + "/tokens.json"
        self.tokens = {}
        for name in ("mallory", "alice", "admin"):
            made = subprocess.run(
                [binary, "token", "create", "--file", tokens, "--name", name, "--allow",
                 "read,write,undo-others" + (",admin" if name == "admin" else "")],
                check=True, capture_output=True, text=True)
            self.tokens[name] = [word for word in made.stdout.split() if word.startswith("vd_")][0]
        os.environ["VERSIOND_TOKENS"] = tokens
        self.process, self.port = serve(binary, self.directory + "/data")
        self.is_over = False

    def client(self, name):
        return Client(self, name)


class Client:
    def __init__(self, world, name):
        self.world, self.token = world, world.tokens[name]
        self.line = http.client.HTTPConnection("127.0.0.1", world.port, timeout=120)

    def send(self, method, path, body=None, kind="application/json"):
        fields = {"Authorization": "Bearer " + self.token}
        if body is not None:
            fields["Content-Type"] = kind
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.line.request(method, "/v1/documents/" + path, body, fields)
        response = self.line.getresponse()
        text = response.read()
        return response.status, text


def merge(world, number):
    """A merge of moves over moves, which is refused for its work."""
    client, name = world.client("mallory"), f"m{number}"
    client.send("PUT", name, [{"n": n} for n in range(3_000)])
    moves = lambda count: [
        {"op": "move", "from": f"/{n % 2_900}", "path": f"/{(n * 7) % 2_900}"} for n in range(count)]
    client.send("PATCH", name, moves(1_500), JSON_PATCH)
    body = json.dumps(moves(2_000)).encode()
    return lambda: client.send("PATCH", f"{name}?base=0&conflict=mine", body, JSON_PATCH)


def ignored(world, number):
    """An edit of a large document with many ignored places."""
    client, name = world.client("mallory"), f"i{number}"
    client.send("PUT", name, {f"k{n}": {f"v{m}": {"x": [1]} for m in range(50)} for n in range(830)})
    patterns = ["/*" * depth + f"/zz{depth}" for depth in range(1, 30)]
    status, text = world.client("admin").send("PATCH", f"{name}/settings", {"ignored": patterns})
    assert status == 200, text
    state = {"n": 0}

    def work():
        state["n"] += 1
        return client.send("PATCH", name, {"k1": state["n"]}, "application/merge-patch+json")
    return work


def put(world, number):
    """A document of 10 MB, again and again."""
    client, name = world.client("mallory"), f"p{number}"
    bodies = [json.dumps([f"{b}{n:031}" for n in range(250_000)]).encode() for b in range(2)]
    state = {"n": 0}

    def work():
        state["n"] += 1
        return client.send("PUT", name, bodies[state["n"] % 2])
    return work


def undo(world, number):
    """First own undo in a large document."""
    client, name = world.client("mallory"), f"u{number}"
    client.send("PUT", name, [f"{n:031}" for n in range(100_000)])
    for n in range(20):
        client.send("PATCH", name, [{"op": "replace", "path": f"/{n}", "value": "x"}], JSON_PATCH)
    return lambda: (client.send("POST", name + "/undo", {"actor": "mallory"}),
                    client.send("POST", name + "/undo"), client.send("POST", name + "/redo"))


KINDS = {"merge": merge, "ignored": ignored, "put": put, "undo": undo}


def alice(world, seconds):
    """The requests of alice, with the time of each in ms."""
    client = world.client("alice")
    large = json.dumps([f"{n:031}" for n in range(28_000)]).encode()
    client.send("PUT", "a", large)
    actions = {
        "PUT 1 MB": lambda n: client.send("PUT", "a", large[:-1] + f',"{n}"]'.encode()),
        "GET 1 MB": lambda n: client.send("GET", "a"),
        "PUT 100 B": lambda n: client.send("PUT", "b", {"n": n}),
        "1 MB, no JSON": lambda n: client.send("PUT", "a", large[:-1]),
    }
    times = {name: [] for name in actions}
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        for name, action in actions.items():
            number += 1
            begin = time.monotonic()
            action(number)
            times[name].append((time.monotonic() - begin) * 1_000)
    return times


def run(binary, kind, seconds):
    world = World(binary)
    works = [KINDS[kind](world, number) for number in range(4)] if kind else []
    durations, statuses = [], {}

    def loop(work):
        while not world.is_over:
            begin = time.monotonic()
            try:
                result = work()
            except (OSError, http.client.HTTPException):
                return
            durations.append(time.monotonic() - begin)
            status = result[0] if isinstance(result[0], int) else result[0][0]
            statuses[status] = statuses.get(status, 0) + 1

    threads = [threading.Thread(target=loop, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    times = alice(world, seconds)
    begin = time.monotonic()
    world.process.send_signal(signal.SIGTERM)
    status = world.process.wait(60)
    ended = time.monotonic() - begin
    world.is_over = True
    shutil.rmtree(world.directory)
    print(f"beside {kind or 'nobody'}: {len(durations)} of mallory's, "
          f"{max(durations, default=0):.1f} s at most, {statuses}; SIGTERM {ended:.1f} s, rc {status}")
    for name, values in times.items():
        values.sort()
        share = lambda part: values[min(len(values) - 1, int(len(values) * part))]
        print(f"    {name:14} {len(values):5} times  p50 {share(.5):7.1f}  p99 {share(.99):7.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinds", default="," + ",".join(KINDS))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/release/versiond"))
    options = parser.parse_args()
    for kind in options.kinds.split(","):
        run(os.path.abspath(options.binary), kind, options.seconds)


if __name__ == "__main__":
    main()
