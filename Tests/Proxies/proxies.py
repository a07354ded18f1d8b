#!/usr/bin/env python3
"""versiond behind nginx and HAProxy, with the configurations of Config/proxy.

Streams of events, 10 MB, names with a slash, conditions, long waits and a path of its own. Needs
nginx and haproxy. Usage: Tests/Proxies/proxies.py [--binary PATH]
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "Tests/Torture"))

from serving import serve  # noqa: E402


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """A proxy in front of a daemon, on a port of its own."""

    def __init__(self, kind, work, daemon_port):
        self.port = free_port()
        with open(f"{ROOT}/Config/proxy/" + {"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}[kind]) as file:
            text = file.read()
        text = text.replace("8443", str(self.port)).replace("127.0.0.1:8080", f"127.0.0.1:{daemon_port}")
        path = f"{work}/{kind}.conf"
        if kind == "nginx":
            text = (f"daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; events {{}}\n"
                    f"http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;\n"
                    f"fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;\n{text}}}\n")
        with open(path, "w") as file:
            file.write(text)
        command = ["nginx", "-p", work, "-c", path] if kind == "nginx" else ["haproxy", "-db", "-f", path]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            try:
                status, _, _ = self.send("GET", "/livez")
                if status == 200:
                    return
            except OSError:
                pass
            assert self.process.poll() is None and time.monotonic() < deadline, f"{kind} does not start"
            time.sleep(0.05)

    def send(self, method, path, body=None, **fields):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        if body is not None:
            names.setdefault("Content-Type", "application/json")
        line.request(method, path, body, {"Host": "localhost", **names})
        response = line.getresponse()
        text = response.read()
        return response.status, text, {name.lower(): value for name, value in response.getheaders()}

    def follow(self, path, count):
        """The first events of a stream, and how long after their changes they came."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request("GET", path, headers={"Host": "localhost", "Accept": "text/event-stream"})
        response = line.getresponse()
        assert response.status == 200, response.status
        events = []
        while len(events) < count:
            text = response.fp.readline()
            assert text, "the stream ended"
            if text.startswith(b"event: change"):
                events.append(time.monotonic())
        line.close()
        return events

    def end(self):
        self.process.terminate()
        self.process.wait(20)


def check(proxy):
    """All that a proxy may break."""
    status, _, fields = proxy.send("PUT", "/v1/documents/builds%2F1", b'{"a":1}')
    assert status == 201 and fields["location"] == "/v1/documents/builds%2F1", fields
    assert proxy.send("GET", "/v1/documents/builds%2F1")[0] == 200, "a slash in a name"
    large = json.dumps(["x" * 1_000] * 10_000).encode()
    status, text, _ = proxy.send("PUT", "/v1/documents/large?label=ten", large, Prefer="return=minimal")
    assert status == 201, ("10 MB in", status, text[:200])
    status, text, _ = proxy.send("GET", "/v1/documents/large")
    assert status == 200 and text.strip() == large.replace(b'", "', b'","'), "10 MB out"
    assert proxy.send("GET", "/v1/documents/large", If_None_Match='"0"')[0] == 304
    assert proxy.send("PUT", "/v1/documents/large", b"1", If_Match='"7"')[0] == 412
    changes = []

    def change():
        for number in range(3):
            time.sleep(0.3)
            changes.append(time.monotonic())
            proxy.send("PUT", "/v1/documents/live", str(number).encode())

    proxy.send("PUT", "/v1/documents/live", b'"begin"')
    thread = threading.Thread(target=change)
    thread.start()
    events = proxy.follow("/v1/documents/live/feed?cursor=0", 3)
    thread.join()
    late = max(event - change for event, change in zip(events, changes))
    assert late < 5, f"an event came {late:.2f} s after its change: something holds it back"
    begin = time.monotonic()
    status, text, _ = proxy.send("GET", "/v1/documents/live/feed?cursor=3&wait=2s")
    assert status == 200 and time.monotonic() - begin >= 1.9, "a long wait"
    status, _, fields = proxy.send("PUT", "/undo/v1/documents/a%2Fb", b"1")
    assert status == 201 and fields["location"] == "/undo/v1/documents/a%2Fb", (status, fields)
    assert proxy.send("GET", "/undo/v1/documents/a%2Fb?path=")[1] == b"1\n", "below a path"
    return late


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/debug/versiond"))
    options = parser.parse_args()
    for kind in ("nginx", "haproxy"):
        work = tempfile.mkdtemp()
        # nginx gives up its rights, and reads what it buffers as somebody else.
        os.chmod(work, 0o755)
        process, port = serve(os.path.abspath(options.binary), work + "/data")
        proxy = Proxy(kind, work, port)
        try:
            late = check(proxy)
        finally:
            proxy.end()
            process.terminate()
            process.wait(20)
        shutil.rmtree(work)
        print(f"{kind}: names, 10 MB, conditions, a path and waits go through; events after {late * 1000:.0f} ms at most")


if __name__ == "__main__":
    main()
