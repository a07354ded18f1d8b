#!/usr/bin/env python3
"""How soon it is heard who is in a document: on one daemon, and from one to another of three.

    Benchmarks/presence.py [path of versiond] [--rounds N]

Needs a build, and Debian's package postgresql for the second figure. Beside the time to hear it
says how much CPU three daemons take for asking each other.
"""
import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Tests/Torture"))
from cluster import Server  # noqa: E402


class Daemon:
    def __init__(self, binary, *options):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", *options], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if " listens on http://" in line:
                self.port = int(line.split("127.0.0.1:")[1].split()[0])
                return
        raise SystemExit("the daemon does not start")

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def follow(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/v1/documents/note/feed?presence=true",
                           headers={"Accept": "application/x-ndjson"})
        return connection.getresponse()

    @property
    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def times(writer, reader, rounds):
    lines = reader.follow()
    found = []
    for number in range(rounds):
        time.sleep(0.12 + number % 7 / 50)
        begin = time.monotonic()
        status = writer.request("PUT", "/v1/documents/note/presence/client-one?ttl=60s", str(number))
        assert status == 204, status
        while True:
            item = json.loads(lines.readline())
            shown = [one["state"] for one in item.get("clients", [])]
            if number in shown:
                break
        found.append((time.monotonic() - begin) * 1000)
    return sorted(found)


def tell(what, found):
    print(f"{what}: {statistics.median(found):.0f} ms, nine in ten within "
          f"{found[len(found) * 9 // 10]:.0f} ms, the slowest {found[-1]:.0f} ms", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary", nargs="?", default=".build/release/versiond")
    options.add_argument("--rounds", type=int, default=100)
    chosen = options.parse_args()
    binary = os.path.abspath(chosen.binary)
    daemon = Daemon(binary, "--directory", tempfile.mkdtemp(prefix="versiond-presence-"))
    daemon.request("PUT", "/v1/documents/note", "{}")
    tell("one daemon", times(daemon, daemon, chosen.rounds))
    daemon.stop()
    server = Server(tempfile.mkdtemp(prefix="versiond-presence-"))
    server.start()
    url = server.make_database()
    daemons = [Daemon(binary, "--journal", url) for _ in range(3)]
    daemons[0].request("PUT", "/v1/documents/note", "{}")
    begin, cpu = time.monotonic(), sum(one.cpu for one in daemons)
    tell("from one to another of three", times(daemons[0], daemons[2], chosen.rounds))
    spent = (sum(one.cpu for one in daemons) - cpu) / (time.monotonic() - begin) / 3
    print(f"CPU of each daemon meanwhile: {spent * 100:.1f} % of a core")
    for one in daemons:
        one.stop()
    server.end()


main()
