#!/usr/bin/env python3
"""Own undo past many later edits of others, and redo of many versions, over HTTP.

Needs a release build. Usage: Benchmarks/undo.py [path of versiond]. For each number of later edits:
the first own undo, which reads them; the median of the presses after it; `status?actor=`. Beside it,
in the same run, a plain GET.
"""
import http.client
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PORT = 8193
CLIENTS = 16
MERGE = "application/merge-patch+json"


class Client:
    def __init__(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)

    def send(self, method, path, body=None, actor="bob", kind="application/json"):
        fields = {"Versiond-Actor": actor}
        if body is not None:
            fields["Content-Type"] = kind
        start = time.perf_counter()
        self.connection.request(method, "/v1/documents/" + path, body, fields)
        response = self.connection.getresponse()
        response.read()
        assert response.status < 300, (method, path, response.status)
        return (time.perf_counter() - start) * 1000


def edit(document, count, body):
    """Many edits of bob's, by several clients at once."""

    def work(first):
        client = Client()
        for number in range(first, count, CLIENTS):
            client.send("PATCH", document, body(number), kind=MERGE)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def own_undo(count, name, body):
    document, client = f"{name}-{count}", Client()
    client.send("PUT", document, '{"a":0}')
    client.send("PATCH", document, '{"a":1}', "ada", MERGE)
    edit(document, count, body)
    client = Client()  # an idle connection is closed
    body = '{"actor":"ada"}'
    first = client.send("POST", document + "/undo", body, "ada")
    presses = [
        client.send("POST", document + ("/redo", "/undo")[turn % 2], body, "ada")
        for turn in range(20)
    ]
    status = client.send("GET", document + "/status?actor=ada")
    get = statistics.median(client.send("GET", document) for _ in range(20))
    print(
        f"{count:>7} {name:<13} first {first:8.1f} ms, then {statistics.median(presses):6.2f} ms, "
        f"status {status:6.2f} ms, GET {get:5.2f} ms",
        flush=True,
    )


def shared_redo(count):
    document, client = f"redo-{count}", Client()
    client.send("PUT", document, '{"a":0}')
    edit(document, count, lambda number: f'{{"a":{number + 5}}}')
    client = Client()
    undo = client.send("POST", document + "/undo", f'{{"count":{count}}}')
    redo = client.send("POST", document + "/redo", f'{{"count":{count}}}')
    print(f"{count:>7} versions      undo {undo:8.1f} ms, redo {redo:8.1f} ms", flush=True)


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else ".build/release/versiond"
    with tempfile.TemporaryDirectory() as directory:
        daemon = subprocess.Popen(
            [binary, "serve", "--port", str(PORT), "--directory", directory,
             "--log-level", "warning"])
        try:
            time.sleep(1)
            for count in (100, 1_000, 5_000, 10_000, 100_000):
                own_undo(count, "other-fields", lambda n: f'{{"k{n % 50}":{n}}}')
                own_undo(count, "same-field", lambda n: f'{{"a":{n + 5}}}')
            for count in (1_000, 4_000, 10_000):
                shared_redo(count)
        finally:
            daemon.terminate()
            daemon.wait()


main()
