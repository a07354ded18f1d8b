#!/usr/bin/env python3
"""Followers of one document: does anybody wait for them?

Starts versiond (build it first: Scripts/release), lets some thousand
clients follow one document, and times appends beside a run without followers. A tenth of the
clients never reads. Usage: Benchmarks/feed.py [followers] [appends]
"""
import os, re, resource, select, socket, subprocess, sys, tempfile, time

followers = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
appends = int(sys.argv[2]) if len(sys.argv) > 2 else 50
port, versiond = 8193, os.environ.get("VERSIOND", ".build/release/versiond")
resource.setrlimit(resource.RLIMIT_NOFILE, (followers + 1000,) * 2)


def request(connection, method, path, body=b"", fields=""):
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, rest = answer.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(rest) < length:
        rest += connection.recv(65536)
    return head


def connect():
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def append_times(writer, first):
    times = []
    for number in range(first, first + appends):
        start = time.monotonic()
        request(writer, "PUT", "/v1/documents/d", b'{"n":%d}' % number,
                "Content-Type: application/json\r\n")
        times.append(time.monotonic() - start)
        yield times


def median(values):
    return sorted(values)[len(values) // 2] * 1000


with tempfile.TemporaryDirectory() as directory:
    daemon = subprocess.Popen(
        [versiond, "serve", "--port", str(port), "--directory", directory, "--log-level", "warning"],
        env=dict(os.environ, VERSIOND_CONNECTIONS_MAX=str(4 * followers + 100),
                 VERSIOND_STREAMS_MAX=str(followers + 10)))
    time.sleep(1)
    try:
        writer = connect()
        request(writer, "PUT", "/v1/documents/d", b"{}", "Content-Type: application/json\r\n")
        for alone in append_times(writer, 1):
            pass
        poll, clients = select.epoll(), {}
        for _ in range(followers):
            client = connect()
            client.sendall(b"GET /v1/documents/d/feed HTTP/1.1\r\nHost: localhost\r\n"
                           b"Accept: text/event-stream\r\n\r\n")
            clients[client.fileno()] = client
        deaf = set(list(clients)[::10])
        for number in clients:
            while b"bookmark" not in clients[number].recv(4096):
                pass
            if number not in deaf:
                poll.register(number, select.EPOLLIN)
        print(f"{followers} follow, {len(deaf)} of them never read")
        delays, writes, heard = [], [], 0
        for times in append_times(writer, 1000):
            writes, waiting, start = times, followers - len(deaf), time.monotonic()
            while waiting:
                for number, _ in poll.poll(10):
                    waiting -= clients[number].recv(65536).count(b"event: change")
            delays.append(time.monotonic() - start + writes[-1])
        print(f"append, nobody follows: {median(alone):.2f} ms, worst {max(alone) * 1000:.1f} ms")
        print(f"append, all follow:     {median(writes):.2f} ms, worst {max(writes) * 1000:.1f} ms, "
              f"ratio {median(writes) / median(alone):.2f}")
        print(f"until the last one has heard: {median(delays):.0f} ms, "
              f"{median(delays) / followers * 1000:.1f} µs a follower")
        with open(f"/proc/{daemon.pid}/status") as status:
            memory = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
        print(f"memory: {memory // 1024} MB, {memory / followers:.0f} KB a follower")
    finally:
        daemon.terminate()
        daemon.wait()
