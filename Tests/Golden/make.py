#!/usr/bin/env python3
"""Makes golden data directories, or a golden database: what this version writes, and what it answers.

Each later version must open it and answer the same. Usage, once for each version of the format or of
the tables:

    Tests/Golden/make.py [KIND] NAME     writes Tests/Golden/NAME/, all kinds or one
    Tests/Golden/make.py --database NAME
"""

import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ.get("VERSIOND", os.path.join(HERE, "../../.build/debug/versiond"))


class Daemon:
    """`place`: the options that say where everything is stored."""

    def __init__(self, *place):
        self.process = subprocess.Popen(
            [BINARY, "serve", *place, "--port", "0"], stderr=subprocess.PIPE, text=True)
        port = re.search(r"127\.0\.0\.1:(\d+)", self.process.stderr.readline()).group(1)
        self.line = http.client.HTTPConnection("127.0.0.1", int(port))

    def ask(self, method, path, body=None, kind="json", **fields):
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        if body is not None:
            names["Content-Type"] = {"json": "application/json", "merge": "application/merge-patch+json",
                                     "patch": "application/json-patch+json"}[kind]
        names = {name: value.encode() for name, value in names.items()}
        self.line.request(method, path, None if body is None else json.dumps(body), names)
        response = self.line.getresponse()
        text = response.read().decode()
        return response.status, text

    def do(self, *arguments, **fields):
        status, text = self.ask(*arguments, **fields)
        assert status < 300, (arguments, status, text)
        return text

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()


def fill(daemon, edits):
    """One of everything that a journal can hold."""
    do, menu = daemon.do, "/v1/documents/menu"
    ada, bob = {"Versiond_Actor": "ada"}, {"Versiond_Actor": "böb"}
    do("PUT", menu + "?label=first", {"dish": "soup", "price": 4, "list": [1, 2, {"id": 7, "n": 1.50}], "text": "a cat"}, **ada)
    do("PATCH", menu + "?debounce=1h", {"price": 5}, "merge", Idempotency_Key="k-1", **ada)
    do("PATCH", menu + "?debounce=1h", {"price": 6}, "merge", **ada)
    do("PATCH", menu, [{"op": "add", "path": "/list/0", "value": None}, {"op": "move", "from": "/dish", "path": "/name"}], "patch", **bob)
    do("PATCH", menu, {"text": "a black cat sat"}, "merge", **bob)
    do("PUT", menu + "/tags/draft")
    do("PUT", menu + "/tags/caf%C3%A9", {"at": "version:1"})
    do("PUT", menu + "/tags/gone")
    do("DELETE", menu + "/tags/gone")
    do("PUT", menu + "/snapshots/all")
    do("PUT", menu + "/snapshots/part", {"paths": ["/price", "/list"]})
    do("PUT", menu + "/snapshots/old")
    do("DELETE", menu + "/snapshots/old")
    do("POST", menu + "/undo", {"actor": "ada"}, **ada)
    do("POST", menu + "/redo", {"actor": "ada"}, **ada)
    do("POST", menu + "/undo", {"count": 2})
    do("POST", menu + "/redo")
    do("POST", menu + "/goto", {"to": "tag:caf\u00e9"})
    do("PATCH", menu, {"fork": {"deep": [[[]]]}}, "merge", **bob)
    do("POST", menu + "/snapshots/part/restore", {}, **ada)
    do("POST", menu + "/scopes/push", {"ttl": "1h", "policy": "discard"}, **ada)
    do("PATCH", menu, {"in": "scope"}, "merge", **ada)
    do("POST", menu + "/scopes/push", {}, **ada)
    do("PATCH", menu, {"in": "scopes"}, "merge", **ada)
    do("POST", menu + "/scopes/pop", {}, **ada)
    do("POST", menu + "/scopes/discard", {}, **ada)
    do("POST", menu + "/scopes/push", {}, **bob)
    do("PATCH", menu, {"open": True}, "merge", **bob)
    tracked = "/v1/documents/tracked"
    do("PUT", tracked, {"a": 1, "seen": 0, "items": [{"seen": 1}]})
    do("PATCH", tracked + "/settings", {"ignored": ["/seen", "/items/*/seen"], "debounce": "1ms", "identity": ["key"]})
    do("PATCH", tracked, {"a": 2, "seen": 5}, "merge", **ada)
    do("PATCH", tracked, {"seen": 6}, "merge", **ada)
    do("POST", tracked + "/undo")
    short = "/v1/documents/short"
    do("PUT", short, 0)
    do("PATCH", short + "/settings", {"retention": {"count": 8}})
    for number in range(1, edits):
        do("PUT", short + f"?label=n{number}", {"n": number, "é": "\u0301"}, **(ada if number % 3 else bob))
    gone = "/v1/documents/gone%2Ftwice"
    do("PUT", gone, "one")
    do("DELETE", gone)
    do("PUT", gone, "two")
    do("DELETE", gone)
    back = "/v1/documents/back"
    do("PUT", back, {"secret": "one", "n": 1}, **ada)
    do("PUT", back, {"secret": "two", "n": 2}, **bob)
    do("PUT", back + "/tags/kept")
    do("DELETE", back)
    do("POST", back + "/undelete")
    do("POST", back + "/purge?label=on%20demand", {"paths": ["/secret"]}, **ada)
    do("PATCH", back, {"n": 3}, "merge", **ada)
    erased = "/v1/documents/erased"
    do("PUT", erased, "secret")
    do("PUT", erased, "secret, too")
    do("DELETE", erased + "?purge", **ada)
    merged = "/v1/documents/merged"
    do("PUT", merged, {"text": "the quick brown fox jumps over the lazy dog", "list": [1, 2, 3], "n": 1})
    do("PATCH", merged, [{"op": "remove", "path": "/list/0"}, {"op": "str_ins", "path": "/text", "pos": 0, "str": "Look: "}], "patch", **bob)
    do("PATCH", merged + "?base=0", [{"op": "replace", "path": "/list/2", "value": "three"}], "patch", Idempotency_Key="m-1", **ada)
    do("PATCH", merged + "?base=0&own=2", [{"op": "str_ins", "path": "/text", "pos": 4, "str": "very "}], "patch", **ada)
    do("PUT", merged + "?base=1", {"text": "Look: the quick red fox jumps over the lazy dog", "list": [2, 3], "n": 2}, **bob)
    do("PATCH", merged + "?base=0&conflict=theirs", [{"op": "replace", "path": "/n", "value": 3}, {"op": "add", "path": "/list/-", "value": 4}], "patch", **ada)
    do("PUT", "/v1/documents/large", {f"member {n}": [n, str(n) * 3, -n / 7] for n in range(300)})


def grow(daemon):
    """A document with enough changes and bytes for a checkpoint that is a delta."""
    chance = random.Random(5)
    daemon.ask("PUT", "/v1/documents/grown", {"text": "%012000x" % chance.getrandbits(48_000), "n": 0})
    for number in range(42_000):
        daemon.ask("PATCH", "/v1/documents/grown", {"n": number}, "merge", Prefer="return=minimal")


def questions():
    documents = ["menu", "tracked", "short", "gone%2Ftwice", "large", "merged", "back", "erased"]
    paths = ["/v1/documents", "/v1/feed?cursor=0&limit=20"]
    for name in documents:
        base = "/v1/documents/" + name
        paths += [base] + [base + "/" + part for part in ("status?actor=ada", "history?limit=20", "tags", "snapshots", "scopes", "settings")]
    menu = "/v1/documents/menu"
    paths += [f"{menu}?at={at}" for at in (0, 3, 10, 20, "tag:draft", "snapshot:part")]
    grown = "/v1/documents/grown"
    paths += [f"{grown}?at={at}&path=/n" for at in (1, 19_000, 21_000, 41_000)] + [f"{grown}?at=20500"]
    paths += [f"{menu}/diff?from=1&to=head", f"{menu}/history?path=/price&limit=50", f"{menu}/snapshots/all"]
    return paths


def moves():
    """Requests whose results rest on old changes, in this order; then the value."""
    menu, ada = "/v1/documents/menu", {"Versiond-Actor": "ada"}
    return [
        ("PATCH", menu + "?debounce=1h", {"price": 5}, "merge", {"Idempotency-Key": "k-1", **ada}),
        ("POST", menu + "/undo", {"actor": "ada"}, "json", ada),
        ("POST", menu + "/scopes/pop", {"force": True}, "json", {}),
        ("POST", menu + "/undo", {"count": 1}, "json", {}),
        ("POST", menu + "/goto", {"to": "tag:draft"}, "json", {}),
        ("POST", "/v1/documents/back/undo", {"count": 2}, "json", {}),
        ("POST", "/v1/documents/short/undo", {"count": 5}, "json", {}),
        ("PATCH", "/v1/documents/merged?base=0", [{"op": "replace", "path": "/list/2", "value": "three"}], "patch", {"Idempotency-Key": "m-1", **ada}),
        ("POST", "/v1/documents/merged/undo", {"actor": "ada"}, "json", ada),
        ("POST", "/v1/documents/tracked/redo", {}, "json", {}),
    ]


def note(daemon, kept):
    """Asks all questions, and keeps the answers."""
    made, answers = int(time.time()), []
    for path in questions():
        status, text = daemon.ask("GET", path)
        answers.append({"method": "GET", "path": path, "status": status, "body": json.loads(text)})
    for method, path, body, content, fields in moves():
        status, text = daemon.ask(method, path, body, content, **fields)
        document = "/".join(path.split("?")[0].split("/")[:4])
        _, value = daemon.ask("GET", document)
        answers.append({"method": method, "path": path, "send": json.dumps(body), "kind": content, "fields": fields,
                        "status": status, "document": document, "value": json.loads(value)})
    with open(os.path.join(kept, "answers.json"), "w") as file:
        lines = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
        file.write(f'{{"made": {made}, "answers": [\n{lines}\n]}}\n')


def filled(place, edits, how, isGrown=False):
    daemon = Daemon(*place)
    fill(daemon, edits)
    if isGrown:
        grow(daemon)
    # The checkpoint of the long document is written in the background.
    time.sleep(1)
    daemon.end(how)


# 1,000 edits make a checkpoint; in a log they would take 10 MB.
KINDS = {"stopped": (signal.SIGTERM, 1_100), "killed": (signal.SIGKILL, 12),
         "packed": (signal.SIGTERM, 1_100), "grown": (signal.SIGTERM, 12)}


def make_directories(target, kinds):
    work = tempfile.mkdtemp()
    for kind in kinds:
        (how, edits), data = KINDS[kind], os.path.join(work, kind)
        filled(["--directory", data], edits, how, isGrown=kind == "grown")
        if kind in ("packed", "grown"):
            subprocess.run([BINARY, "pack", "--directory", data], check=True)
        kept = os.path.join(target, kind)
        os.makedirs(kept)
        for name in os.listdir(data):
            if name not in ("lock", "reserve") and not name.endswith("-shm"):
                shutil.copy(os.path.join(data, name), kept)
        daemon = Daemon("--directory", data)
        note(daemon, kept)
        daemon.end(signal.SIGTERM)


def make_database(target):
    """Its tables as SQL, without what a newer server than the reader's would add."""
    place = tempfile.mkdtemp()
    os.chmod(place, 0o755)
    server = subprocess.Popen([os.path.join(HERE, "../../Scripts/postgresql"), "--temporary", place],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    options = ["-h", place, "-U", "versiond"]
    subprocess.run(["createdb", *options, "golden"], check=True)
    url = f"postgresql://versiond@{place.replace('/', '%2F')}/golden"
    filled(["--journal", url], 1_100, signal.SIGTERM)
    subprocess.run([BINARY, "pack", "--journal", url], check=True)
    dump = subprocess.run(["pg_dump", *options, "--inserts", "--rows-per-insert=100", "--no-owner", "golden"],
                          check=True, capture_output=True, text=True).stdout
    os.makedirs(target)
    with open(os.path.join(target, "database.sql"), "w") as file:
        file.write("".join(line for line in dump.splitlines(True) if not line.startswith(("SET ", "SELECT pg_catalog.", "\\", "--", "\n"))))
    daemon = Daemon("--journal", url)
    note(daemon, target)
    daemon.end(signal.SIGTERM)
    server.stdin.close()
    server.wait()


def main():
    target, kind = os.path.join(HERE, sys.argv[-1]), sys.argv[1]
    shutil.rmtree(os.path.join(target, kind) if kind in KINDS else target, ignore_errors=True)
    if kind == "--database":
        make_database(target)
    else:
        make_directories(target, [kind] if kind in KINDS else KINDS)
    print(subprocess.run(["du", "-sh", target], capture_output=True, text=True).stdout)


main()
