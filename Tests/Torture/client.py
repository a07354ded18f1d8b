"""Clients that send random requests about documents, and the responses that they received."""

import http.client
import json
import threading
import time

from check import MANY, plain

DOCUMENTS = 5
# The last one is a run: `versiond check` compares the index of runs with all changes.
ACTORS = ["ada", "bob", "agent/run-1"]
TIMEOUT = 60
RUN = ACTORS[-1]
# The restore points of a history; each is moved again and again.
POINTS = 2
# The requests about a draft of a document.
DRAFTING = ["copy", "edit-draft", "update", "merge-draft"]


class Call:
    """One request, and what came of it."""

    def __init__(self, kind, document, label, key=None, match=None):
        self.kind, self.document, self.label, self.key, self.match = kind, document, label, key, match
        self.began = self.ended = None
        self.status = self.body = self.revision = None
        self.retries = 0

    @property
    def is_change(self):
        return self.status in (200, 201, 204) and self.kind != "read" and self.revision is not None

    def __repr__(self):
        return f"{self.label} {self.kind} {self.document} match={self.match} key={self.key}: {self.status} revision {self.revision}"


class Client(threading.Thread):
    """Sends one request after the other until the daemon is gone."""

    def __init__(self, world, number, seed):
        super().__init__(daemon=True)
        import random

        self.world, self.number, self.random = world, number, random.Random(seed)
        self.calls, self.last = [], {}
        self.line = None

    def run(self):
        while not self.world.is_over:
            call = self.next_call()
            self.calls.append(call)
            try:
                self.send(call)
            except (OSError, http.client.HTTPException):
                # Its outcome is unknown.
                self.line = None
                call.ended = None
                if self.world.is_over or not self.world.is_up():
                    return

    def next_call(self):
        random, world = self.random, self.world
        document = f"{world.prefix}{random.randrange(DOCUMENTS)}"
        kind = random.choices(
            ["put", "merge", "patch", "undo", "redo", "own", "tag", "delete", "read", "snapshot",
             "transact", "copy", "edit-draft", "update", "merge-draft", "undo-run", "redo-run", "point", "restore"],
            [14, 20, 14, 14, 7, 8, 3, 1, 25, 2, 14, 4, 8, 4, 6, 3, 3, 4, 2],
        )[0]
        if kind in DRAFTING:
            document += "~x"
            kind = "merge" if kind == "edit-draft" else kind
        label = f"c{self.number}-{len(self.calls)}-{world.cycle}"
        key = label if kind != "read" and random.random() < 0.5 else None
        match = self.last.get(document) if kind != "read" and random.random() < 0.25 else None
        return Call(kind, document, label, key, match)

    def send(self, call):
        if call.began is None:
            call.request = self.request(call)
        method, path, fields, body = call.request
        if call.key:
            fields["Idempotency-Key"] = call.key
        if call.match is not None and call.kind not in MANY and call.kind != "point":
            fields["If-Match"] = f'"{call.match}"'
        if self.line is None:
            self.line = http.client.HTTPConnection("127.0.0.1", self.world.port, timeout=TIMEOUT)
        if call.began is None:
            call.began = time.monotonic()
        self.line.request(method, path, body, fields)
        response = self.line.getresponse()
        text = response.read()
        call.ended = time.monotonic()
        call.status = response.status
        tag = response.getheader("ETag")
        if call.status < 300 and tag:
            number = int(tag.strip('"').removesuffix("-gzip"))
            self.last[call.document], call.revision = number, plain(number)
        is_json = "json" in (response.getheader("Content-Type") or "")
        said = json.loads(text) if is_json and text else None
        call.body = plain(said)
        if call.kind in MANY and call.status == 200:
            self.take_parts(call, said["changes"])
        if call.kind == "point" and call.status in (200, 201):
            self.world.note_point(said)

    def take_parts(self, call, changes):
        for one in changes:
            if "revision" not in one:
                continue
            self.last[one["document"]] = one["revision"]
            if one["document"] == call.document and one.get("change") is not None:
                call.revision = plain(one["revision"])

    def request(self, call):
        random = self.random
        base = f"/v1/documents/{call.document}"
        actor = random.choice(ACTORS)
        fields = {"Versiond-Actor": actor}
        name = f"k{random.randrange(6)}"
        change = f"?label={call.label}"
        if call.kind == "read":
            return "GET", base, {}, None
        if call.kind == "put":
            fields["Content-Type"] = "application/json"
            value = {"id": call.label, "list": [random.randrange(9) for _ in range(random.randrange(6))]}
            if random.random() < 0.02:
                value["large"] = "x" * random.randrange(200_000)
            return "PUT", base + change, fields, json.dumps(value)
        if call.kind == "merge":
            fields["Content-Type"] = "application/merge-patch+json"
            value = random.choice([call.label, random.randrange(99), None, {"a": 1}])
            return "PATCH", base + change, fields, json.dumps({name: value, "id": call.label})
        if call.kind == "patch":
            fields["Content-Type"] = "application/json-patch+json"
            patch = [{"op": "add", "path": "/" + name, "value": {"by": call.label}}]
            patch.append({"op": "add", "path": "/list/0", "value": call.label})
            return "PATCH", base + change, fields, json.dumps(patch)
        if call.kind == "own":
            fields["Content-Type"] = "application/json"
            return "POST", base + "/undo" + change + "&conflict=theirs", fields, json.dumps({"actor": actor})
        if call.kind in ("undo", "redo"):
            alone = random.choice(["", "&alone"])
            return "POST", f"{base}/{call.kind}{change}{alone}", fields, None
        if call.kind == "transact":
            fields["Content-Type"] = "application/json"
            changes = self.members(call)
            return "POST", "/v1/transactions" + change, fields, json.dumps({"changes": changes})
        if call.kind in ("undo-run", "redo-run"):
            fields["Content-Type"] = "application/json"
            path = f"/v1/{call.kind.removesuffix('-run')}{change}&conflict=theirs"
            return "POST", path, fields, json.dumps({"all": {"actor": RUN}, "prefix": self.world.prefix})
        if call.kind in ("point", "restore"):
            fields["Content-Type"] = "application/json"
            point = f"{self.world.prefix}p{random.randrange(POINTS)}"
            if call.kind == "restore":
                return "POST", "/v1/restore" + change, fields, json.dumps({"to": "restore-point:" + point})
            body = json.dumps({"prefix": self.world.prefix})
            return "PUT", f"/v1/restore-points/{point}{change}", fields, body
        if call.kind == "copy":
            return "PUT", base + change + "&copyOf=" + call.document.removesuffix("~x"), fields, None
        if call.kind in ("update", "merge-draft"):
            path = f"{base}/{call.kind.removesuffix('-draft')}{change}"
            return "POST", path + random.choice(["", "&conflict=draft", "&conflict=origin"]), fields, None
        if call.kind == "delete":
            return "DELETE", base + change, fields, None
        place = "tags" if call.kind == "tag" else "snapshots"
        return "PUT", f"{base}/{place}/{name}{change}", fields, None


    def members(self, call):
        """Edits of two or three documents, and now and then a condition on one."""
        random = self.random
        names = [f"{self.world.prefix}{n}" for n in range(DOCUMENTS)]
        others = [name for name in names if name != call.document]
        changes = []
        for name in [call.document] + random.sample(others, random.randrange(1, 3)):
            edit = {"value": {"id": call.label, "n": random.randrange(9)}}
            if random.random() < 0.7:
                edit = {"merge": {f"k{random.randrange(6)}": call.label}}
            changes.append({"document": name, **edit})
        if call.match is not None:
            changes[0]["match"] = call.match
        random.shuffle(changes)
        return changes


class Follower(threading.Thread):
    """Follows everything, in one of the shapes of the feed."""

    def __init__(self, world, shape):
        super().__init__(daemon=True)
        self.world, self.shape, self.items = world, shape, []
        self.position = world.cursor

    def run(self):
        while not self.world.is_over:
            try:
                self.follow()
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                if not self.world.is_up():
                    return

    def follow(self):
        line = http.client.HTTPConnection("127.0.0.1", self.world.port, timeout=TIMEOUT)
        if self.shape == "poll":
            while not self.world.is_over:
                line.request("GET", f"/v1/feed?cursor={self.position}&wait=1s&limit=50")
                page = json.loads(line.getresponse().read())
                for item in page["events"]:
                    self.take(item)
                self.position = page["next"]
            return
        accept = {"lines": "application/x-ndjson", "events": "text/event-stream"}[self.shape]
        line.request("GET", f"/v1/feed?cursor={self.position}", headers={"Accept": accept})
        response = line.getresponse()
        while not self.world.is_over:
            text = response.readline()
            if not text:
                return
            if self.shape == "events":
                if not text.startswith(b"data: "):
                    continue
                text = text[6:]
            if text.strip() and text.endswith(b"\n"):
                self.take(json.loads(text))

    def take(self, item):
        if item["event"] == "change":
            self.items.append(plain(item))
            self.position = item["cursor"]
