#!/usr/bin/env python3
"""versiond behind nginx and HAProxy, with the configurations of Config/proxy and Config/cluster.

Streams of events, 10 MB, names with a slash, conditions, long waits and a path of its own; and three
daemons on one database: who comes in, and which daemon has which document. Needs nginx, haproxy and
PostgreSQL. Usage: Tests/Proxies/proxies.py [--binary PATH]
"""

import argparse
import http.client
import json
import os
import re
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


class Cluster:
    """Three daemons on one database with the settings of Config/cluster, behind its proxy."""

    def __init__(self, binary, work):
        self.port = free_port()
        os.chmod(work, 0o755)
        self.server = subprocess.Popen(
            [ROOT + "/Scripts/postgresql", work + "/db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.server.stdout.readline().strip() == b"ready", "the server does not start"
        subprocess.run(["createdb", "-h", work + "/db", "-U", "versiond", "undo"], check=True)
        made = subprocess.run(
            [binary, "token", "create", "--file", work + "/tokens.json", "--name", "ada"],
            check=True, capture_output=True, text=True)
        self.token = re.search(r"vd_\S+|[A-Za-z0-9_-]{20,}", made.stdout).group(0)
        with open(ROOT + "/Config/cluster/one.json") as file:
            settings = json.load(file)
        settings.update(
            tokens=work + "/tokens.json",
            journal=f"postgresql://versiond@{(work + '/db').replace('/', '%2F')}/undo")
        with open(ROOT + "/Config/cluster/haproxy.cfg") as file:
            text = file.read().replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")
        self.daemons = []
        for number in range(3):
            port = free_port()
            text = text.replace(f"127.0.0.1:{8081 + number}", f"127.0.0.1:{port}")
            with open(f"{work}/{number}.json", "w") as file:
                json.dump({**settings, "port": port}, file)
            self.daemons.append((port, subprocess.Popen(
                [binary, "serve", "--config", f"{work}/{number}.json"], stderr=subprocess.DEVNULL)))
        with open(work + "/haproxy.cfg", "w") as file:
            file.write(text)
        self.wait(lambda: all(self.send("GET", "/readyz", port=port)[0] == 200 for port, _ in self.daemons))
        self.proxy = subprocess.Popen(["haproxy", "-db", "-f", work + "/haproxy.cfg"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(lambda: self.send("GET", "/readyz")[0] == 200)

    @staticmethod
    def wait(is_so):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                if is_so():
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError("waited for too long")

    def send(self, method, path, body=None, host="undo.example.com", port=None, token=None):
        line = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        fields = {"Host": host, "Content-Type": "application/json"}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        line.request(method, path, body, fields)
        response = line.getresponse()
        return response.status, response.read()

    def changes(self):
        """How many changes each daemon has made."""
        counts = []
        for port, process in self.daemons:
            if process.poll() is None:
                text = self.send("GET", "/metrics", port=port, token=self.token)[1].decode()
                counts.append(sum(map(int, re.findall(r"^versiond_events_total\S* (\d+)", text, re.M))))
        return counts

    def check(self):
        assert self.send("PUT", "/v1/documents/a", b"1")[0] == 401, "without a token"
        assert self.send("PUT", "/v1/documents/a", b"1", host="localhost")[0] == 401, "nor as localhost"
        assert self.send("PUT", "/v1/documents/a", b"1", "evil.example", token=self.token)[0] == 421
        before = self.changes()
        for _ in range(30):
            assert self.send("PUT", "/v1/documents/hot", b"1", token=self.token)[0] < 300
            assert self.send("POST", "/v1/documents/hot/undo", token=self.token)[0] in (200, 409)
        made = [after - count for after, count in zip(self.changes(), before)]
        assert sum(1 for count in made if count) == 1, f"one document is written to by {made}"
        for number in range(60):
            assert self.send("PUT", f"/v1/documents/d{number}", b"1", token=self.token)[0] == 201
        spread = [after - count for after, count in zip(self.changes(), before)]
        assert all(count > 5 for count in spread), f"documents are spread as {spread}"
        self.daemons[0][1].kill()
        self.daemons[0][1].wait()
        self.wait(lambda: all(
            self.send("PUT", f"/v1/documents/d{number}", b"2", token=self.token)[0] < 300
            for number in range(60)))
        return spread

    def end(self):
        for process in [self.proxy] + [process for _, process in self.daemons]:
            process.terminate()
            process.wait(30)
        self.server.stdin.close()
        self.server.wait(60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/debug/versiond"))
    options = parser.parse_args()
    for kind in ("nginx", "haproxy"):
        work = tempfile.mkdtemp()
        # nginx gives up its rights and reads its buffers as another user.
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
    work = tempfile.mkdtemp()
    cluster = Cluster(os.path.abspath(options.binary), work)
    try:
        spread = cluster.check()
    finally:
        cluster.end()
    shutil.rmtree(work)
    print(f"cluster: tokens and names are wanted; documents stick to daemons, spread as {spread}; one died")


if __name__ == "__main__":
    main()
