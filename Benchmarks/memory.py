#!/usr/bin/env python3
"""The memory of the daemon for one of many: a loaded document, a connection, a follower.

    Benchmarks/memory.py BINARY

Resident memory with some hundreds of them, over that without, divided by their number.
"""

import json
import socket
import sys

import calls
from growth import Followers
from measuring import versiond

COUNT = 1_000
KINDS = {
    "a document of 30 bytes": {"n": 1, "text": "a small one"},
    "a document of 1 KB": {f"field {at}": "a line of text" for at in range(30)},
    "a document of 10 KB": {f"field {at}": {"name": "a line of text", "n": at} for at in range(200)},
    "a text of 50 KB": {"text": "a line of text " * 3_350},
}


def document(binary, value):
    server = versiond(binary)
    text = calls.compact(value)
    server.burst(10, "PUT", "/v1/documents/warm-#", text)
    before = server.memory()
    server.burst(COUNT, "PUT", "/v1/documents/it-#", text, connections=4)
    taken = server.memory() - before
    server.stop()
    return taken / COUNT


def connection(binary, is_used):
    server = versiond(binary)
    before, open_ones = server.memory(), []
    for _ in range(COUNT):
        one = socket.create_connection(("127.0.0.1", server.port))
        if is_used:
            one.sendall(b"GET /v1/documents/bench HTTP/1.1\r\nHost: localhost\r\n\r\n")
            one.recv(65536)
        open_ones.append(one)
    taken = server.memory() - before
    for one in open_ones:
        one.close()
    server.stop()
    return taken / COUNT


def follower(binary):
    server = versiond(binary, environment={"VERSIOND_STREAMS_MAX": str(COUNT + 10)})
    before = server.memory()
    followers = Followers(server, COUNT)
    taken = server.memory() - before
    followers.close()
    server.stop()
    return taken / COUNT


def main():
    binary = sys.argv[1]
    print("| one of 1,000 | KB |\n|---|---|")
    for name, value in KINDS.items():
        print(f"| {name} ({len(json.dumps(value)):,} bytes) | {document(binary, value) / 1000:.1f} |")
    print(f"| a connection that is silent | {connection(binary, False) / 1000:.1f} |")
    print(f"| a connection that has asked | {connection(binary, True) / 1000:.1f} |")
    print(f"| a follower | {follower(binary) / 1000:.1f} |")


main()
