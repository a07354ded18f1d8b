#!/usr/bin/env python3
"""Asks for the past of a document in every way, with random words, while it is edited at random.

The daemon must answer each request, with no fault of its own, and pages must hold everything once.
Usage: Tests/Torture/asking.py [--rounds 300] [--seed 1] [--binary PATH]
"""

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import tempfile

from serving import serve

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = [
    None, 1, "text", [], {}, [1, [2, {"a": None}]], {"a": {"b": [1, 2, 3]}, "": {"~": 1, "/": 2}},
    {"0": {"1": 2}},
]
PATHS = [
    "", "/a", "/a/b", "/a/b/0", "/a/b/7", "/a/b/-", "/x", "/x/y", "/t/0", "/", "//", "/0", "/0/1",
    "/a/b/1/c", "/~0", "/~1", "/nope/deep/er",
]
DOCUMENT = "/v1/documents/d"


class Daemon:
    def __init__(self, binary):
        self.directory = tempfile.mkdtemp()
        self.process, self.port = serve(binary, self.directory)

    def ask(self, method, path, body=None, kind="json", actor=None):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Content-Type": f"application/{kind}"} if body is not None else {}
        if actor:
            fields["Versiond-Actor"] = actor
        line.request(method, path, None if body is None else json.dumps(body), fields)
        response = line.getresponse()
        text = response.read()
        line.close()
        assert response.status < 500, f"{method} {path} {body}: {response.status} {text[:300]}"
        return response.status, text

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0
        shutil.rmtree(self.directory)


def edit(daemon, dice):
    """Something that changes the document, or is refused."""
    post = lambda path, body: daemon.ask("POST", DOCUMENT + path, body)
    actor = dice.choice("ab")
    kind = dice.randrange(14)
    if kind < 3:
        daemon.ask("PUT", DOCUMENT, dice.choice(VALUES), actor=actor)
    elif kind == 3:
        operation = {"op": dice.choice(["add", "replace", "remove"]), "path": dice.choice(PATHS)}
        operation["value"] = dice.choice(VALUES)
        daemon.ask("PATCH", DOCUMENT, [operation], "json-patch+json", actor)
    elif kind == 4:
        post("/undo", dice.choice([{}, {"actor": "a"}, {"count": 2}]))
    elif kind == 5:
        post("/redo", dice.choice([{}, {"actor": "a"}]))
    elif kind == 6:
        daemon.ask("PUT", f"{DOCUMENT}/tags/t{dice.randrange(4)}", {})
    elif kind == 7:
        body = dice.choice([{}, {"paths": dice.sample(PATHS, 2)}])
        daemon.ask("PUT", f"{DOCUMENT}/snapshots/s{dice.randrange(4)}", body)
    elif kind == 8:
        post("/scopes/" + dice.choice(["push", "pop", "discard"]), {})
    elif kind == 9:
        post(f"/snapshots/s{dice.randrange(4)}/restore", {})
    elif kind == 10:
        setting = [{"ignored": ["/x"]}, {"ignored": []}, {"retention": {"count": 20}}, {"debounce": "1s"}]
        daemon.ask("PATCH", DOCUMENT + "/settings", dice.choice(setting))
    elif kind == 11 and dice.random() < 0.1:
        daemon.ask("DELETE", DOCUMENT)
        dice.choice([lambda: post("/undelete", None), lambda: daemon.ask("PUT", DOCUMENT, {})])()


def question(daemon, dice):
    """Everything that can be asked about the past, of a random state and place."""
    address = dice.choice([
        "head", "0", f"version:{dice.randrange(60)}", "tag:t1", "snapshot:s1",
        str(dice.randrange(200)), "2026-01-31T12:00:00Z"])
    paths = dice.sample(PATHS, dice.randrange(1, 4))
    dry = dice.choice(["?dryRun", "?dryRun", ""])
    daemon.ask("POST", DOCUMENT + "/restore" + dry, {"from": address, "paths": paths})
    daemon.ask("POST", DOCUMENT + "/goto?dryRun", {"to": address})
    path = dice.choice(PATHS).replace("~", "%7e")
    before = dice.randrange(300)
    for query in (
        f"versions?limit={dice.choice([1, 3, 1000])}", f"versions?cursor={before}&q=a",
        f"blame?path={path}", f"blame?at={address}", f"diff?from={address}",
        f"history?branches=all&path={path}&limit={dice.choice([1, 5])}&cursor={before}",
    ):
        daemon.ask("GET", f"{DOCUMENT}/{query}")
    daemon.ask("PUT", f"/v1/documents/c{dice.randrange(5)}?copyOf=d@{address}")
    daemon.ask("GET", f"/v1/history?cursor={dice.randrange(1 << 31)}&kind=undo")


def pages(daemon, limit, words=""):
    """The versions on all pages."""
    found, before = [], ""
    while True:
        status, text = daemon.ask("GET", f"{DOCUMENT}/versions?limit={limit}{before}{words}")
        if status != 200:
            return status
        page = json.loads(text)
        found += [version["version"] for version in page["versions"]]
        if page["next"] is None:
            return found
        before = f"&cursor={page['next']}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    dice = random.Random(options.seed)
    daemon = Daemon(os.path.abspath(options.binary))
    print(f"seed {options.seed}", flush=True)
    daemon.ask("PUT", DOCUMENT, {"a": {"b": [1, 2, 3]}, "x": None, "t": "hello"})
    for number in range(options.rounds):
        question(daemon, dice)
        edit(daemon, dice)
        if number % 50 == 49:
            assert pages(daemon, 1000) == pages(daemon, 7), "pages lose or repeat versions"
            assert pages(daemon, 1000, "&actor=a") == pages(daemon, 3, "&actor=a")
    daemon.end()
    print(f"{options.rounds} rounds, each request was answered")


if __name__ == "__main__":
    main()
