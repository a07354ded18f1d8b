"""The common parts of the benchmarks: servers, a client that sends bursts, and statistics.

Wall clock and averages are useless on a shared machine. A server's CPU time is the kernel's own
account of all its threads (schedstat, nanoseconds) over short bursts of requests; variants take
turns in random order, and what counts is the median of the ratios within a round, with the
interval that the medians of 95 % of resamples fall into.
"""

import glob
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Tests/Torture"))
from cluster import Server as PostgreSQLServer  # noqa: E402

MERGE = "application/merge-patch+json"
DOCUMENT = "/v1/documents/bench"
TEXT = '{"dish":"soup","n":0,"text":"%s"}' % ("x" * 120)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def compiled(name, *libraries):
    """The C program of that name, or the library that ends in .so; built when it has changed."""
    directory = os.path.join(tempfile.gettempdir(), f"versiond-benchmarks-{os.getuid()}")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    source = os.path.join(HERE, "C", name.removesuffix(".so") + ".c")
    binary = os.path.join(directory, name)
    shape = ["-fPIC", "-shared"] if name.endswith(".so") else []
    if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
        compiler = shutil.which("cc") or "clang"
        subprocess.run([compiler, "-O2", "-D_GNU_SOURCE", *shape, "-o", binary, source]
                       + [f"-l{library}" for library in libraries], check=True)
    return binary


def nanoseconds(schedstat):
    """How long a thread has run; 0 if it has ended meanwhile."""
    try:
        with open(schedstat) as file:
            return int(file.read().split()[0])
    except OSError:
        return 0


class Server:
    """A process that listens on a port, with a directory of its own."""

    def __init__(self, command, name=None, environment=None, directory=None):
        self.directory = directory or tempfile.mkdtemp(prefix="versiond-bench-")
        self.port = free_port()
        self.name = name
        self.command, self.environment = command, environment
        self.bursts = {}
        start = time.monotonic()
        self.process = subprocess.Popen(
            command(self), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, **(environment or {})))
        self.await_port()
        self.seconds_to_start = time.monotonic() - start

    def await_port(self):
        for _ in range(12_000):
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    sys.exit(f"{self.name} ended with {self.process.returncode}")
                time.sleep(0.005)
        sys.exit(f"{self.name}: nobody listens on port {self.port}")

    def burst(self, requests, method, path, body="", kind="application/json", connections=64,
              documents=1, token=""):
        """Seconds, and the median and 99th percentile of the responses' times in microseconds."""
        key = (connections, documents, token)
        fields = f"Authorization: Bearer {token}\r\n" if token else ""
        if key not in self.bursts:
            self.bursts[key] = subprocess.Popen(
                [compiled("burst"), str(self.port), str(connections), str(documents)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=dict(os.environ, BURST_FIELDS=fields))
        client = self.bursts[key]
        client.stdin.write(f"{requests} {method} {path} {kind} {body}\n")
        client.stdin.flush()
        line = client.stdout.readline()
        if not line:
            sys.exit(f"{self.name}: {method} {path} was not answered")
        return [float(word) for word in line.split()]

    def processes(self):
        """Those whose CPU is this server's."""
        return [self.process.pid]

    def run_time(self):
        """Nanoseconds that all threads have run."""
        return sum(nanoseconds(file) for process in self.processes()
                   for file in glob.glob(f"/proc/{process}/task/*/schedstat"))

    def cpu(self, requests, *arguments, **options):
        """Microseconds of CPU per request of a burst."""
        before = self.run_time()
        self.burst(requests, *arguments, **options)
        return (self.run_time() - before) / requests / 1000

    def vacuum(self):
        """The background work of a database."""

    def memory(self):
        """Bytes of memory in use."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

    def hang_up(self):
        """Ends the connections of all bursts: a server cuts those that have been idle for long."""
        for client in self.bursts.values():
            client.kill()
            client.wait()
        self.bursts = {}

    def end(self):
        self.hang_up()
        self.process.terminate()
        self.process.wait()

    def restarted(self):
        """The same server, restarted with the same directory."""
        self.end()
        return Server(self.command, self.name, self.environment, self.directory)

    def stop(self):
        self.end()
        shutil.rmtree(self.directory, ignore_errors=True)


class ClusterMember(Server):
    """A daemon on a PostgreSQL of its own, whose CPU counts as the daemon's.

    Nothing runs there that is not the daemon's doing: queries are not spread over workers, which
    end and take their account along, and rows are put in order when `vacuum` says so.
    """

    QUIET = ("autovacuum=off", "max_parallel_workers_per_gather=0", "max_wal_size=4GB")

    def __init__(self, binary, name=None):
        self.place = tempfile.mkdtemp(prefix="versiond-bench-")
        self.database = PostgreSQLServer(self.place)
        self.database.start(*(word for setting in self.QUIET for word in ("-c", setting)))
        url = self.database.make_database()
        super().__init__(lambda at: [
            os.path.abspath(binary), "serve", "--port", str(at.port), "--journal", url,
            "--log-level", "error"], name or binary)

    def processes(self):
        with open(f"/proc/{self.database.postmaster}/task/{self.database.postmaster}/children") as file:
            return [self.process.pid, *file.read().split()]

    def vacuum(self):
        self.database.sql("VACUUM ANALYZE")

    def stop(self):
        super().stop()
        self.database.end()
        shutil.rmtree(self.place, ignore_errors=True)


class Client:
    """A client that sends one request after the other."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)

    def send(self, method, path, body=None, kind="application/json", actor="ada"):
        """The status and the bytes of the response."""
        fields = {"Versiond-Actor": actor}
        if body is not None:
            fields["Content-Type"] = kind
        try:
            response = self.response(method, path, body, fields)
        except (BrokenPipeError, ConnectionResetError):
            # It was idle for too long, while the daemon put a long history in order.
            self.connection.close()
            response = self.response(method, path, body, fields)
        return response.status, response.read()

    def response(self, *request):
        self.connection.request(*request)
        return self.connection.getresponse()

    def made(self, *arguments, **options):
        """The response to what must succeed."""
        status, text = self.send(*arguments, **options)
        assert status < 300, (arguments[:2], status, text[:300])
        return json.loads(text or "null")


def versiond(binary, name=None, environment=None):
    return with_document(Server(lambda at: [
        os.path.abspath(binary), "serve", "--port", str(at.port), "--directory", at.directory,
        "--log-level", "error"], name or binary, environment))


def with_document(server):
    server.burst(1, "PUT", DOCUMENT, TEXT, connections=1)
    return server


def limit(name="C"):
    """libmicrohttpd and SQLite, with nothing behind them."""
    binary = compiled("limit", "microhttpd", "sqlite3", "pthread")
    return Server(lambda at: [binary, str(at.port), os.path.join(at.directory, "limit.sqlite")],
                  name)


def judge(over, sentence, is_checked):
    """Prints what is more than it may be; where it is checked, that is an error."""
    if over:
        print(f"\n{sentence}\n" + "\n".join(over))
        if is_checked:
            sys.exit(1)


def interval(values):
    """The median, and what the medians of 95 % of resamples lie between."""
    medians = sorted(
        statistics.median(random.choices(values, k=len(values))) for _ in range(1000))
    return statistics.median(values), medians[25], medians[974]


def ratio(numerator, denominator):
    """Of figures of the same rounds: the median ratio with its interval, to be printed."""
    middle, low, high = interval([a / b for a, b in zip(numerator, denominator)])
    return f"{middle:.2f} [{low:.2f} {high:.2f}]"


def row(*cells):
    """A row of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


def quiet(values):
    """An estimate for a machine without neighbours: the lowest sixth."""
    return sorted(values)[len(values) // 6]


def in_turn(servers, rounds, measure):
    """For each server the figures of all rounds; the order is another one in each round."""
    figures = [[] for _ in servers]
    for _ in range(rounds):
        for at in random.sample(range(len(servers)), len(servers)):
            figures[at].append(measure(servers[at]))
    return figures
