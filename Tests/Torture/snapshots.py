#!/usr/bin/env python3
"""Takes snapshots of a Btrfs file system while a daemon writes on it, and starts a daemon on each.

    Tests/Torture/snapshots.py SUBVOLUME [--count N] [--binary PATH]

SUBVOLUME is an empty Btrfs subvolume; root is needed. For example:

    truncate -s 300M disk && mkfs.btrfs disk && mount -o loop disk /mnt && btrfs subvolume create /mnt/data

Each snapshot must pass `versiond check`, hold every change that was confirmed before it was taken, and nothing
that was sent after it: so a snapshot a minute is a backup to the minute.
"""
import argparse
import http.client
import json
import os
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Daemon:
    def __init__(self, binary, directory):
        self.process = subprocess.Popen(
            [binary, "serve", "--directory", directory, "--port", "0"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listens on" in line:
                self.port = int(line.split("127.0.0.1:")[1].split()[0])
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def end(self):
        self.process.terminate()
        self.process.wait()


class Writer(threading.Thread):
    """Counts up in one document; knows what was sent and what was confirmed."""

    def __init__(self, daemon, name):
        super().__init__(daemon=True)
        self.line, self.name = daemon.connect(), name
        self.sent = self.confirmed = 0
        self.goes_on = True

    def run(self):
        while self.goes_on:
            self.sent += 1
            self.line.request("PUT", f"/v1/documents/{self.name}", json.dumps(self.sent), {"Content-Type": "application/json"})
            response = self.line.getresponse()
            response.read()
            assert response.status in (200, 201), response.status
            self.confirmed = self.sent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subvolume")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    daemon = Daemon(options.binary, os.path.join(options.subvolume, "data"))
    writers = [Writer(daemon, f"d{number}") for number in range(4)]
    for writer in writers:
        writer.start()
    taken = []
    for number in range(options.count):
        goal = writers[0].confirmed + 100
        while writers[0].confirmed < goal:
            writers[0].join(0.01)
        path = f"{options.subvolume}/../snapshot-{number}"
        least = [writer.confirmed for writer in writers]
        subprocess.run(["btrfs", "-q", "subvolume", "snapshot", options.subvolume, path], check=True)
        taken.append((path, least, [writer.sent for writer in writers]))
    for writer in writers:
        writer.goes_on = False
        writer.join()
    daemon.end()
    for path, least, most in taken:
        restored = Daemon(options.binary, path + "/data")
        line, found = restored.connect(), []
        for writer in writers:
            line.request("GET", f"/v1/documents/{writer.name}")
            found.append(json.loads(line.getresponse().read()))
        restored.end()
        subprocess.run([options.binary, "check", "--directory", path + "/data"], check=True, stdout=subprocess.DEVNULL)
        assert all(low <= value <= high for low, value, high in zip(least, found, most)), (path, least, found, most)
        subprocess.run(["btrfs", "-q", "subvolume", "delete", path], check=True, stdout=subprocess.DEVNULL)
    print(f"{len(taken)} snapshots: each whole, with all that was confirmed before it ({found[0]} changes of one document)")


main()
