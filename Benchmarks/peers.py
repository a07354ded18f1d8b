"""Other servers that make a small write durable before they confirm it, each as its own people measure it.

Debian's packages redis-server, etcd-server and postgresql. Each gives writes a second of 64 clients at once.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from measuring import DOCUMENT, MERGE, Server, free_port, in_turn, limit, versiond

CLIENTS = 64
SCRIPT = """
UPDATE document SET revision = revision + 1, body = '{"n":1}' WHERE name = 'bench-' || :client_id;
INSERT INTO event SELECT name, revision, '{"n":1}' FROM document WHERE name = 'bench-' || :client_id;
"""


def install():
    """Installs the servers and libraries that the comparison needs."""
    setup = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Scripts", "setup")
    subprocess.run([setup, "peers"], check=True, stdout=sys.stderr)


class Redis:
    """SET with appendfsync always: one value is replaced, and the log has each write."""

    name = "Redis 7, appendfsync always"

    def __init__(self):
        self.server = Server(lambda at: [
            "redis-server", "--port", str(at.port), "--dir", at.directory, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always"], "redis")

    def rate(self, seconds):
        text = subprocess.run(
            ["redis-benchmark", "-p", str(self.server.port), "-c", str(CLIENTS), "-n",
             str(8_000 * seconds), "--csv", "SET", "bench", '{"n":1}'],
            capture_output=True, text=True, check=True).stdout
        return float(re.findall(r'"([\d.]+)"', text.splitlines()[-1])[0])

    def stop(self):
        self.server.stop()


class Etcd:
    """Put over its JSON gateway: each write goes through its log, with fsync."""

    name = "etcd 3.4, JSON gateway"

    def __init__(self):
        peer = free_port()
        self.server = Server(lambda at: [
            "etcd", "--data-dir", at.directory + "/data", "--log-level", "error",
            "--listen-client-urls", f"http://127.0.0.1:{at.port}",
            "--advertise-client-urls", f"http://127.0.0.1:{at.port}",
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", f"default=http://127.0.0.1:{peer}"], "etcd")
        time.sleep(2)

    def rate(self, seconds):
        count = 2_000 * seconds
        elapsed = self.server.burst(
            count, "POST", "/v3/kv/put", '{"key":"YmVuY2g=","value":"eyJuIjojfQ=="}')[0]
        return count / elapsed

    def stop(self):
        self.server.stop()


class PostgreSQL:
    """A transaction that replaces a row and appends one, each client on a row of its own."""

    name = "PostgreSQL 15, a transaction"

    def __init__(self):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = [] if os.getuid() else ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.directory = tempfile.mkdtemp(prefix="versiond-bench-")
        if not os.getuid():
            shutil.chown(self.directory, "postgres", "postgres")
        self.port = free_port()
        data = self.directory + "/data"
        self.call("initdb", "-D", data, "-A", "trust", "-U", "postgres")
        self.call("pg_ctl", "-D", data, "-w", "-l", self.directory + "/log", "-o",
                  f"-p {self.port} -k {self.directory} -c max_connections=200", "start")
        self.script = self.directory + "/script.sql"
        with open(self.script, "w") as file:
            file.write(SCRIPT)
        self.sql("CREATE TABLE document(name text PRIMARY KEY, revision int, body text);"
                 "CREATE TABLE event(name text, revision int, body text, PRIMARY KEY(name, revision));"
                 "INSERT INTO document SELECT 'bench-' || n, 0, '' FROM generate_series(0, 63) n;")

    def call(self, program, *arguments):
        return subprocess.run(
            [*self.user, os.path.join(self.programs, program), *arguments],
            capture_output=True, text=True, check=True, cwd="/").stdout

    def sql(self, text):
        self.call("psql", "-h", self.directory, "-p", str(self.port), "-U", "postgres", "-c", text)

    def rate(self, seconds):
        os.chmod(self.script, 0o644)
        text = self.call(
            "pgbench", "-h", self.directory, "-p", str(self.port), "-U", "postgres", "-n", "-M", "prepared",
            "-c", str(CLIENTS), "-j", "2", "-T", str(seconds), "-f", self.script, "postgres")
        return float(re.search(r"tps = ([\d.]+)", text)[1])

    def stop(self):
        self.call("pg_ctl", "-D", self.directory + "/data", "-m", "immediate", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)


class OverHTTP:
    """A PATCH of one document by all clients."""

    def __init__(self, server, name):
        self.server, self.name = server, name

    def rate(self, seconds):
        count = 5_000 * seconds
        return count / self.server.burst(count, "PATCH", DOCUMENT, '{"n":#}', MERGE)[0]

    def stop(self):
        self.server.stop()


def rates(writer, binary, seconds, rounds):
    """All servers, with the writes a second of each round; `writer` measures those over HTTP."""
    contestants = [writer(versiond(binary), "versiond, a PATCH"),
                   writer(limit(), "C with SQLite, group commit"),
                   PostgreSQL(), Redis(), Etcd()]
    try:
        return contestants, in_turn(contestants, rounds, lambda contestant: contestant.rate(seconds))
    finally:
        for contestant in contestants:
            contestant.stop()
