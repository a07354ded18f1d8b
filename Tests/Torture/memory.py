#!/usr/bin/env python3
"""Clients that want more than there is: the daemon refuses, answers others, and lives.

Runs the daemon in a control group of 1 GiB, one kind of attack after the other, each in a new
process. Usage: Tests/Torture/memory.py [--limit 1024] [--kinds bodies,halves,...] [--binary PATH]
"""

import argparse
import gzip
import http.client
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import socket
import tempfile
import threading
import time

from serving import serve

HERE = os.path.dirname(os.path.abspath(__file__))


def make_group(limit):
    """A control group with a limit of memory; `None` where there are none to have."""
    for root, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = os.path.join(root, "versiond-test")
        try:
            os.makedirs(group, exist_ok=True)
            with open(os.path.join(group, name), "w") as file:
                file.write(str(limit))
            return group
        except OSError:
            continue
    return None


class Daemon:
    def __init__(self, binary, limit, **settings):
        self.work = tempfile.mkdtemp()
        group = make_group(limit)

        def confine():
            if group:
                with open(os.path.join(group, "cgroup.procs"), "w") as file:
                    file.write(str(os.getpid()))

        self.process, self.port = serve(
            binary, self.work + "/data", preexec_fn=confine, env={**os.environ, **settings})
        self.is_over = multiprocessing.Event()
        self.waited = multiprocessing.Value("d", 0)
        # A process of its own: threads of this one wait for each other.
        self.watcher = multiprocessing.Process(target=self.watch)
        self.watcher.start()

    @property
    def longest(self):
        return self.waited.value

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def watch(self):
        """A client with small requests, all the time."""
        line = self.connect()
        while not self.is_over.is_set():
            begin = time.monotonic()
            try:
                line.request("GET", "/livez")
                line.getresponse().read()
            except (OSError, http.client.HTTPException):
                line = self.connect()
            self.waited.value = max(self.longest, time.monotonic() - begin)
            time.sleep(0.01)

    @property
    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            found = re.search(r"VmHWM:\s+(\d+)", file.read())
        return int(found.group(1)) >> 10 if found else 0

    def end(self):
        peak = self.peak if self.process.poll() is None else 0
        self.is_over.set()
        self.watcher.join()
        is_alive = self.process.poll() is None
        if is_alive:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
        shutil.rmtree(self.work)
        return is_alive, peak


def many(count, work):
    """Runs work(n) on as many threads; returns the results."""
    results = [None] * count

    def run(number):
        try:
            results[number] = work(number)
        except (OSError, http.client.HTTPException) as error:
            results[number] = type(error).__name__

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counted(results)


def counted(results):
    """How often there is each result."""
    return {str(result): results.count(result) for result in set(results)}


def put(daemon, name, body, coding=None):
    line = daemon.connect(120)
    fields = {"Content-Type": "application/json"}
    if coding:
        fields["Content-Encoding"] = coding
    line.request("PUT", f"/v1/documents/{name}", body, fields)
    response = line.getresponse()
    response.read()
    return response.status


def bodies(daemon):
    """Many large documents with many values, all at once."""
    text = ("[" + '{"a":1},' * 400_000 + "0]").encode()
    return many(24, lambda n: put(daemon, f"d{n}", text))


def texts(daemon):
    """The same without values: one long text each."""
    text = ('"' + "x" * 15_000_000 + '"').encode()
    return many(40, lambda n: put(daemon, f"d{n}", text))


def versions(daemon):
    """One large document that is always another one."""
    def work(n):
        return [put(daemon, "d", ("[" + f'{{"a":{n}{k}}},' * 300_000 + "0]").encode()) for k in range(3)][-1]
    return many(6, work)


def halves(daemon):
    """Bodies that never end."""
    head = b"PUT /v1/documents/d%d HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15000000\r\n\r\n"
    lines = []

    def work(n):
        line = socket.create_connection(("127.0.0.1", daemon.port))
        lines.append(line)
        line.settimeout(20)
        line.sendall(head % n + b"x" * 14_000_000)
        return "sent"
    counts = many(100, work)
    for line in lines:
        line.close()
    return counts


def bombs(daemon):
    """Little that becomes much."""
    body = gzip.compress(b"[" + b"{}," * 900_000 + b"{}]")
    return many(60, lambda n: put(daemon, f"d{n % 20}", body, "gzip"))


def readers(daemon):
    """Large responses that their clients do not read, while the document changes."""
    put(daemon, "d", ('"' + "x" * 14_000_000 + '"').encode())
    lines = []
    for number in range(120):
        line = socket.create_connection(("127.0.0.1", daemon.port))
        line.sendall(b"GET /v1/documents/d?pretty HTTP/1.1\r\nHost: localhost\r\n\r\n")
        lines.append(line)
        if number % 20 == 0:
            put(daemon, "d", (f'"{number}' + "x" * 14_000_000 + '"').encode())
    time.sleep(3)
    for line in lines:
        line.close()
    return {}


def idle(daemon):
    """Connections that say nothing, more than there may be."""
    lines = []
    for _ in range(5_000):
        line = socket.socket()
        line.setblocking(False)
        line.connect_ex(("127.0.0.1", daemon.port))
        lines.append(line)
    time.sleep(5)
    for line in lines:
        line.close()
    return {}


def heads(daemon):
    """Heads of requests, a byte at a time."""
    lines = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(1_000)]
    for byte in b"GET /v1/documents/d HTTP/1.1\r\nHost: ":
        for line in lines:
            try:
                line.sendall(bytes([byte]))
            except OSError:
                pass  # It was cut off: that is right.
        time.sleep(0.2)
    for line in lines:
        line.close()
    return {}


# Clients that request the past of a large document, and read nothing.
CLIENTS = 400
LINES, EVENTS = "application/x-ndjson", "text/event-stream"


def asking(daemon, path, accept):
    """A client that asks for a stream, and reads nothing of it."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", daemon.port))
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n".encode())
    return line


def followers(daemon):
    """Followers that read nothing, while a document changes."""
    put(daemon, "d", b"[]")
    lines = []
    for _ in range(1_800):
        lines.append(asking(daemon, "/v1/documents/d/feed", EVENTS))
    for number in range(100):
        put(daemon, "d", json.dumps([str(number) * 10_000]).encode())
    for line in lines:
        line.close()
    return {}


def unread(daemon, requests):
    """Clients that ask for much, each for a path in a form, and read nothing."""
    lines = []
    for path, accept in requests:
        lines.append(asking(daemon, path, accept))
        if daemon.process.poll() is not None:
            break
    time.sleep(20)
    # A client that reads still receives all of it.
    begin = time.monotonic()
    reader = daemon.connect()
    reader.request("GET", "/v1/documents/d/feed?cursor=-1", headers={"Accept": "application/x-ndjson"})
    response = reader.getresponse()
    counts = {"changes read": sum(1 for _ in zip(range(4), response))}
    counts["seconds"] = round(time.monotonic() - begin, 1)
    for line in lines:
        line.close()
    return counts


def many_texts(number, size):
    """A document of many texts, of which each number has others."""
    return json.dumps([f"{number}{index:031}" for index in range(size)]).encode()


def large(daemon, size=400_000):
    """A document of many texts, with four changes."""
    for number in range(4):
        put(daemon, "d", many_texts(number, size))


def pasts(daemon):
    """Followers of the past of a large document that read nothing, as lines of all documents."""
    large(daemon)
    return unread(daemon, [("/v1/feed?cursor=0", LINES)] * CLIENTS)


def past_events(daemon):
    """The same as events of one document, each from another position or with another prefix."""
    large(daemon)
    return unread(daemon, [
        (f"/v1/documents/d/feed?cursor={n % 4 - 1}&keyPrefix=prefix-of-client-{n:04}", EVENTS)
        for n in range(CLIENTS)])


def past_many(daemon):
    """Two thousand of a smaller one."""
    large(daemon, 12_000)
    return unread(daemon, [
        (f"/v1/documents/d/feed?cursor={n % 4 - 1}{'&patch=stored' * (n % 2)}", (LINES, EVENTS)[n % 3 % 2])
        for n in range(1_900)])


def exports(daemon):
    """Exports that their clients do not read."""
    large(daemon)
    return unread(daemon, [("/v1/export", LINES)] * CLIENTS)


def newest(daemon):
    """Followers that read nothing, while a large document is replaced again and again."""
    large(daemon, 10)
    lines = [
        asking(daemon, "/v1/documents/d/feed" + "?patch=stored" * (n % 2), (LINES, EVENTS)[n % 3 % 2])
        for n in range(1_000)]
    counts = counted([put(daemon, "d", many_texts(number, 400_000)) for number in range(30)])
    for line in lines:
        line.close()
    return counts


def snapshots(daemon):
    """Values that a document keeps."""
    def work(n):
        put(daemon, f"d{n}", ('"' + str(n) * 14_000_000 + '"').encode())
        line = daemon.connect()
        statuses = set()
        for number in range(30):
            line.request("PUT", f"/v1/documents/d{n}/snapshots/s{number}")
            response = line.getresponse()
            response.read()
            statuses.add(response.status)
            statuses.add(put(daemon, f"d{n}", ('"' + chr(65 + number) * 14_000_000 + '"').encode()))
        return tuple(sorted(statuses))
    return many(4, work)


def histories(daemon):
    """Much history of many documents, asked for at once."""
    line = daemon.connect()
    for number in range(20):
        text = json.dumps([str(number) * 300_000]).encode()
        for name in range(10):
            put(daemon, f"d{name}", text + b" " * name)
    def work(n):
        line = daemon.connect()
        line.request("GET", f"/v1/documents/d{n % 10}/history?limit=1000" + ("&path=/0" if n % 2 else ""))
        response = line.getresponse()
        response.read()
        return response.status
    return many(60, work)


def burst(daemon, name, count, clients=200, each=20):
    """So many changes of one place, as fast as they go: many clients, so that many are in one commit."""
    head = (b"PATCH /v1/documents/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/merge-patch+json\r\n"
            b"Content-Length: %d\r\n\r\n%s")
    lines = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(clients)]
    for begin in range(0, count, clients * each):
        for place, line in enumerate(lines):
            bodies = [b'{"n":%d}' % (begin + place * each + number) for number in range(each)]
            line.sendall(b"".join(head % (name, len(body), body) for body in bodies))
        for line in lines:
            answered, rest = 0, b""
            while answered < each:
                rest += line.recv(1 << 20)
                answered += rest.count(b"HTTP/1.1 ")
                rest = rest[-8:]
    for line in lines:
        line.close()


def far_undos(daemon):
    """Own undo of values that other actors have overwritten very often, in several documents at once."""
    def post(path, method, body):
        line = daemon.connect(600)
        line.request(method, path, body, {"Content-Type": "application/json", "Versiond-Actor": "ada"})
        response = line.getresponse()
        return response.status, json.loads(response.read()).get("code")

    def work(n):
        for number in range(2):
            post(f"/v1/documents/d{n}", "PUT", '{"n":-%d}' % (number + 1))
        burst(daemon, b"d%d" % n, 400_000)
    many(2, work)
    return many(2, lambda n: post(f"/v1/documents/d{n}/undo", "POST", '{"actor":"ada"}'))

# Documents of a request about many: how many, and how many MB of JSON each has.
SHAPES = [(10, 5), (30, 1), (100, 1), (20, 5), (50, 10), (10, 60)]
# A body may have 16 MiB.
BODY_MB = 15
WIDTH = 28
LONG = 100
# Requests at once, each over all documents.
TOGETHER = 3


def strings(number, megabytes, width):
    """Elements of an array with this number of MB of text."""
    return b",".join(b'"%0*d"' % (width, number * 10_000_000 + index) for index in range(megabytes * 1_000_000 // (width + 3)))


def ask(daemon, method, path, body=None, actor="ada", kind="application/json"):
    """The status of the answer, its code if it is a problem, and how long it is."""
    line = daemon.connect(600)
    fields = {"Versiond-Actor": actor}
    if body is not None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields["Content-Type"] = kind
    line.request(method, path, body, fields)
    response = line.getresponse()
    text = response.read()
    code = json.loads(text).get("code") if response.status >= 400 else f"{len(text) / 1e6:.1f} MB"
    return f"{response.status} {code}"


def fill(daemon, shape, first=b""):
    """Makes the documents b0, b1 and so on of a shape, one after the other; each has `t`."""
    count, megabytes = shape
    # More short strings than a document may have values would be needed for 60 MB.
    elements = strings(1, min(megabytes, BODY_MB), WIDTH if megabytes <= BODY_MB else LONG)
    for number in range(count):
        body = b'{"n":%d,%s"t":[%s]}' % (number, first, elements)
        assert put(daemon, f"b{number}", body) == 201
        for part in range(1, -(-megabytes // BODY_MB)):
            more = b'{"t%d":[%s]}' % (part, elements)
            assert ask(daemon, "PATCH", f"/v1/documents/b{number}", more, "bob", "application/merge-patch+json")[:3] == "200"
    daemon.filled = daemon.peak
    return count, count * -(-megabytes // BODY_MB)


def at_first(daemon, result):
    """The result, with the memory that it took to make the documents."""
    return {"filled": f"{daemon.filled} MB", **result}


def empty(daemon, count):
    """Bob takes everything out of the documents."""
    for number in range(count):
        assert ask(daemon, "PUT", f"/v1/documents/b{number}", {"s": 1}, "bob")[:3] == "200"


def members(count, member):
    """A transaction over all documents."""
    return {"changes": [{"document": f"b{number}", **member} for number in range(count)]}


def transactions(daemon, shape):
    """Transactions that add a little to all documents, and that replace all of them."""
    count, changes = fill(daemon, shape)
    added = many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/transactions", members(count, {"merge": {f"s{n}": n}})))
    replaced = many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/transactions", members(count, {"value": {"s": n}})))
    body = {"transaction": f"b0@{changes // count}"}
    undone = many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/undo", body))
    return at_first(daemon, {"added": added, "replaced": replaced, "undone": undone})


def restores(daemon, shape):
    """Transactions that put back what bob took out."""
    count, changes = fill(daemon, shape)
    empty(daemon, count)
    member = {"restore": {"from": str(changes // count - 1)}}
    return at_first(daemon, many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/transactions", members(count, member))))


def prefix_restores(daemon, shape):
    """The same by a prefix, as it was before bob."""
    count, changes = fill(daemon, shape)
    empty(daemon, count)
    return at_first(daemon, many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/restore", {"prefix": "b", "to": f"cursor:{changes}"})))


def prefix_undos(daemon, shape):
    """All that bob did is undone."""
    count, _ = fill(daemon, shape)
    empty(daemon, count)
    body = {"all": {"actor": "bob"}, "prefix": "b"}
    return at_first(daemon, many(TOGETHER, lambda n: ask(daemon, "POST", "/v1/undo?conflict=theirs", body)))


def drafts(daemon, count, origin):
    """A draft of each document, and an edit of each of both; returns their names."""
    names = []
    for number in range(count):
        of = origin(number)
        name = f"{of}~{number}"
        assert ask(daemon, "PUT", f"/v1/documents/{name}?copyOf={of}")[:3] == "201"
        change = {"mine": number}
        assert ask(daemon, "PATCH", f"/v1/documents/{name}", change, "eve", "application/merge-patch+json")[:3] == "200"
        names.append(name)
    return names


def merges(daemon, shape):
    """Drafts of large documents, merged all at once."""
    count, _ = fill(daemon, shape)
    names = drafts(daemon, count, lambda number: f"b{number}")
    for number in range(count):
        ask(daemon, "PATCH", f"/v1/documents/b{number}", {"theirs": number}, "bob", "application/merge-patch+json")
    return at_first(daemon, many(min(count, 8), lambda n: [ask(daemon, "POST", f"/v1/documents/{name}/merge") for name in names[n::8]][-1]))


def draft_lists(daemon, shape):
    """Lists of many drafts of one large document."""
    count, megabytes = shape
    fill(daemon, (1, megabytes))
    drafts(daemon, count, lambda _: "b0")
    ask(daemon, "PATCH", "/v1/documents/b0", {"theirs": 1}, "bob", "application/merge-patch+json")
    return at_first(daemon, many(TOGETHER, lambda n: ask(daemon, "GET", "/v1/documents/b0/drafts?limit=100")))


def shaped(kind, shape):
    """A kind with documents of one shape."""
    def run(daemon):
        return kind(daemon, shape)
    run.__name__ = f"{kind.__name__}-{shape[0]}x{shape[1]}"
    return run


MANY = [transactions, restores, prefix_restores, prefix_undos, merges, draft_lists]

KINDS = [
    bodies, texts, versions, halves, bombs, readers, idle, heads, followers, pasts, past_events, past_many,
    exports, newest, snapshots, histories, far_undos,
    *(shaped(kind, shape) for kind in MANY for shape in SHAPES)]
# Cases beyond 1 GiB: the store does not drop documents for which requests wait.
NEEDS = {"snapshots": 2048}
# The limit on the wait of other clients, with a release build, in seconds.
WAIT_MAX = 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=1024, help="MiB")
    parser.add_argument("--wait", type=float, default=WAIT_MAX, help="seconds that others may wait")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="that ask for a large past, and read nothing")
    parser.add_argument("--kinds", default=",".join(kind.__name__ for kind in KINDS))
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    globals()["CLIENTS"] = options.clients
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 20_000), limit))
    is_held = True
    for kind in KINDS:
        # `merges` is all shapes of it.
        if not {kind.__name__, kind.__name__.split("-")[0]} & set(options.kinds.split(",")):
            continue
        daemon = Daemon(os.path.abspath(options.binary), max(options.limit, NEEDS.get(kind.__name__, 0)) << 20)
        begin = time.monotonic()
        counts = kind(daemon)
        seconds = time.monotonic() - begin
        is_alive, peak = daemon.end()
        is_held = is_held and is_alive and daemon.longest <= options.wait
        print(
            f"{kind.__name__:22} {'lives' if is_alive else 'DIED '}  peak {peak:5} MB  "
            f"longest /livez {daemon.longest * 1000:5.0f} ms  {seconds:4.0f} s  {counts}", flush=True)
    raise SystemExit(0 if is_held else 1)


if __name__ == "__main__":
    main()
