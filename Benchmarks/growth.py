"""The cost of a request as the work grows: larger documents, longer histories, more of both, and followers."""

import select
import socket
import statistics
import threading
import time

from measuring import DOCUMENT, MERGE, in_turn, limit, quiet, versiond

BURST = 448
ROUNDS = 10
CHANGES = "/v1/documents/bench/feed"


def member(at):
    return f'"line-{at}":{{"name":"a line of text","count":{at}}}'


def by_size(binary, sizes=(1_000, 10_000, 100_000, 1_000_000, 10_000_000)):
    """CPU of a PATCH of one leaf, and of a GET, against the bytes of the document."""
    server = versiond(binary)
    patch, get = [], []
    try:
        for size in sizes:
            path = f"{DOCUMENT}-{size}"
            # A list in a list: no container has very many parts.
            count = max(1, size // 45)
            rows = ["{" + ",".join(member(at) for at in range(first, min(first + 30, count))) + "}"
                    for first in range(0, count, 30)]
            put(server, path, '{"rows":[' + ",".join(rows) + "]}")
            body = '[{"op":"replace","path":"/rows/0/line-0/count","value":#}]'

            def change(server, path=path, body=body):
                return server.cpu(BURST, "PATCH", path, body, "application/json-patch+json")

            def read(server, path=path):
                return server.cpu(BURST, "GET", path + "?path=/rows/0/line-0")

            patch.append((size, quiet(in_turn([server], ROUNDS, change)[0])))
            get.append((size, quiet(in_turn([server], ROUNDS, read)[0])))
    finally:
        server.stop()
    return {"PATCH of a leaf": patch, "GET of a leaf": get}


def by_members(binary, counts=(100, 1_000, 10_000, 100_000)):
    """CPU of a PATCH of one member, against the members of its object."""
    server = versiond(binary)
    merged, patched = [], []
    try:
        for count in counts:
            path = f"{DOCUMENT}-wide-{count}"
            put(server, path, "{" + ",".join(f'"name {at}":{at}' for at in range(count)) + "}")
            for found, body, kind in (
                    (merged, '{"name 50":#}', MERGE),
                    (patched, '[{"op":"replace","path":"/name 50","value":#}]', "application/json-patch+json")):
                found.append((count, quiet(in_turn([server], ROUNDS, lambda server: server.cpu(
                    BURST, "PATCH", path, body, kind))[0])))
    finally:
        server.stop()
    return {"merge patch": merged, "JSON Patch": patched}


def put(server, path, text):
    """A document that is too large for a line of the client's."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        head = (f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n")
        connection.sendall(head.encode() + text.encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
        assert answer.startswith(b"HTTP/1.1 2"), answer[:300]


def by_history(binary, lengths=(1_000, 20_000, 100_000)):
    """CPU of a PATCH, of undo and redo, and of a page of history, and the first read after a start, against the versions."""
    server = versiond(binary)
    directory = server.directory
    made, patch, undo, read, page = 1, [], [], [], []
    try:
        for length in lengths:
            server.burst(length - made, "PATCH", DOCUMENT, '{"n":#}', MERGE)
            made = length
            patch.append((length, quiet(in_turn([server], ROUNDS, change)[0])))
            undo.append((length, quiet(in_turn([server], ROUNDS, back)[0])))
            page.append((length, quiet(in_turn([server], ROUNDS, lambda server: server.cpu(
                BURST // 10, "GET", DOCUMENT + "/history?limit=20"))[0])))
            made += 2 * ROUNDS * BURST
            server = server.restarted()
            start = time.perf_counter()
            server.burst(1, "GET", DOCUMENT, connections=1)
            read.append((length, (time.perf_counter() - start) * 1000))
    finally:
        server.stop()
    assert server.directory == directory
    return {"PATCH": patch, "undo, redo": undo, "page of history": page}, {"first read": read}


def change(server):
    return server.cpu(BURST, "PATCH", DOCUMENT, '{"n":#}', MERGE)


def back(server):
    undone = server.cpu(BURST // 2, "POST", DOCUMENT + "/undo")
    return (undone + server.cpu(BURST // 2, "POST", DOCUMENT + "/redo")) / 2


def by_documents(binary, counts=(1_000, 10_000, 100_000)):
    """CPU of a GET of any of them, time to be ready, the first read, and the daemon's memory after the start."""
    server = versiond(binary)
    made, get, ready, first, memory = 0, [], [], [], []
    try:
        for count in counts:
            server.burst(count - made, "PUT", f"/v1/documents/{made}-#", '{"n":#,"text":"a small document"}')
            made = count
            server = server.restarted()
            ready.append((count, server.seconds_to_start * 1000))
            memory.append((count, server.memory() / 1e6))
            first.append((count, server.burst(1, "GET", "/v1/documents/0-1", connections=1)[1] / 1000))
            path = "/v1/documents/0-@"
            # The first ones load what they read.
            server.burst(4 * BURST, "GET", path, documents=900)
            get.append((count, quiet(in_turn([server], ROUNDS, lambda server: server.cpu(
                BURST, "GET", path, documents=900))[0])))
    finally:
        server.stop()
    return {"GET": get}, {"ready, ms": ready, "first read, ms": first, "memory, MB": memory}


def by_loops(binary, counts=(1, 2, 4, 8, 16)):
    """CPU of a GET and of a PATCH against the number of event loops: what they share would show, whatever the cores."""
    servers = [versiond(binary, environment={"VERSIOND_LOOPS": str(count)}) for count in counts]
    try:
        get = in_turn(servers, ROUNDS, lambda server: server.cpu(BURST, "GET", DOCUMENT))
        patch = in_turn(servers, ROUNDS, change)
    finally:
        for server in servers:
            server.stop()
    return {name: [(count, quiet(figures)) for count, figures in zip(counts, all_figures)]
            for name, all_figures in (("GET", get), ("PATCH", patch))}


def by_connections(binary, counts=(64, 1_000, 10_000)):
    """CPU of a GET against the number of connections that take turns, and what each takes in memory."""
    get, memory = [], []
    for count in counts:
        server = versiond(binary, environment={"VERSIOND_CONNECTIONS_MAX": str(4 * count + 400)})
        try:
            before = server.memory()
            requests = max(BURST, count)
            server.burst(requests, "GET", DOCUMENT, connections=count)
            memory.append((count, (server.memory() - before) / 1e6))
            get.append((count, quiet(in_turn([server], ROUNDS, lambda server: server.cpu(
                requests, "GET", DOCUMENT, connections=count))[0])))
        finally:
            server.stop()
    return {"GET": get}, {"memory, MB": memory}


def by_clients(binary, counts=(1, 2, 3, 4, 8, 16, 64, 256), requests=1_000):
    """Microseconds until half of the PATCHes have been answered, each durable, against the clients that send."""
    servers = [versiond(binary), limit()]
    found = [[], []]
    try:
        for count in counts:
            waits = in_turn(servers, ROUNDS, lambda server: server.burst(
                max(requests, 8 * count), "PATCH", DOCUMENT, '{"n":#}', MERGE, connections=count)[1])
            for line, times in zip(found, waits):
                line.append((count, statistics.median(times)))
    finally:
        for server in servers:
            server.stop()
    return {"versiond": found[0], "C with SQLite": found[1]}


class Followers:
    """Clients that follow one document; a tenth of them never reads."""

    def __init__(self, server, count):
        self.server, self.poll, self.clients = server, select.epoll(), {}
        for at in range(count):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(f"GET {CHANGES} HTTP/1.1\r\nHost: localhost\r\n"
                           "Accept: text/event-stream\r\n\r\n".encode())
            self.clients[client.fileno()] = client
        for at, (number, client) in enumerate(self.clients.items()):
            while b"bookmark" not in client.recv(4096):
                pass
            if at % 10:
                self.poll.register(number, select.EPOLLIN)
        self.readers = count - (count + 9) // 10

    def hear(self):
        """Waits until all that read have heard of one change."""
        waiting = self.readers
        while waiting > 0:
            for number, _ in self.poll.poll(10):
                waiting -= self.clients[number].recv(65536).count(b"event: change")

    def close(self):
        for client in self.clients.values():
            client.close()


def others_write(server, followers):
    """The time of 99 of 100 writes to another document, while followers receive changes; ms."""
    figures = []
    writer = threading.Thread(target=lambda: figures.append(server.burst(
        1_000, "PATCH", "/v1/documents/other", '{"n":#}', MERGE, connections=2)))
    writer.start()
    while writer.is_alive():
        server.burst(1, "PATCH", DOCUMENT, '{"n":#}', MERGE, connections=1)
        followers.hear()
    return figures[0][2] / 1000


def followed(server, count, changes=20, writes=False):
    """CPU of an event, the time until the last follower has received it, and the time of other writes meanwhile."""
    try:
        followers = Followers(server, count)
        times, before = [], server.run_time()
        for _ in range(changes):
            start = time.perf_counter()
            server.burst(1, "PATCH", DOCUMENT, '{"n":#}', MERGE, connections=1)
            followers.hear()
            times.append((time.perf_counter() - start) * 1000)
        used = (server.run_time() - before) / 1000 / changes / count
        other = 0
        if writes:
            server.burst(1, "PUT", "/v1/documents/other", "{}", connections=1)
            other = others_write(server, followers)
        followers.close()
        return used, quiet(times), other
    finally:
        server.stop()


def by_followers(binary, counts=(10, 100, 1_000, 10_000), rounds=3):
    """CPU of an event compared with C, in turn; the time until the last follower has it, and of other writes."""
    ours, least, heard, others = [], [], [], []
    for count in counts:
        environment = {
            "VERSIOND_CONNECTIONS_MAX": str(4 * count + 400), "VERSIOND_STREAMS_MAX": str(count + 10)}
        figures = [(followed(versiond(binary, environment=environment), count, writes=True), followed(limit(), count))
                   for _ in range(rounds)]
        ours.append((count, quiet([used for (used, _, _), _ in figures])))
        least.append((count, quiet([used for _, (used, _, _) in figures])))
        heard.append((count, quiet([last for (_, last, _), _ in figures])))
        others.append((count, statistics.median(other for (_, _, other), _ in figures)))
    return {"an event": ours, "C": least}, {"until the last has heard": heard, "another's write, 99 %": others}
