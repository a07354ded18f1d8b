#!/usr/bin/env python3
"""Three real daemons on one PostgreSQL, many clients on all of them, and faults of every part.

After each fault every answer that was given is compared with what is stored: nothing confirmed is
lost, all answers of all daemons are one order, and every follower has every change once. Usage:

    Tests/Torture/cluster.py [--cycles 20] [--seed 1] [--kinds kill,backend,...] [--failover] [--pooler]

--failover ends the primary and promotes its synchronous standby, in every cycle. --pooler puts PgBouncer
before the server, which gives each transaction another session, and speaks TLS with a certificate of its own.
"""

import argparse
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from check import (
    MARK, Broken, History, check_calls, check_drafts, check_follower, check_order, plain, require)
from client import Client, Follower
from serving import get, port_in
from torture import World

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "../../Scripts/postgresql")
KINDS = ["none", "kill", "backend", "terminate", "immediate", "freeze", "cut", "slow",
         "silent", "late", "keep", "frozen"]
POOLER_KINDS = ["none", "pooler", "kill", "backend", "terminate", "immediate", "freeze", "keep", "frozen"]
DAEMONS = 3
CLIENTS = 8
CYCLES_PER_HISTORY = 5
# Seconds after which something hangs: far more than a busy machine takes.
PATIENCE = 180


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def as_postgres(*paths):
    """How a command begins that must not run as root; the paths are its own then."""
    if os.geteuid() != 0:
        return []
    for path in paths:
        shutil.chown(path, "postgres", "postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


class Server:
    """A PostgreSQL server in a directory."""

    def __init__(self, directory):
        self.directory, self.process = directory, None

    def start(self, *options):
        self.process = subprocess.Popen(
            [SERVER, self.directory, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        require(self.process.stdout.readline().strip() == b"ready", "the server does not start")

    @property
    def postmaster(self):
        with open(os.path.join(self.directory, "data/postmaster.pid")) as file:
            return int(file.readline())

    def end(self, how=signal.SIGINT):
        """SIGQUIT is `pg_ctl stop -m immediate`."""
        try:
            os.kill(self.postmaster, how)
        except (FileNotFoundError, ProcessLookupError):
            pass
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)

    def make_database(self):
        """An empty one for daemons; returns its URL."""
        self.sql("CREATE DATABASE versiond", "postgres")
        return f"postgresql:///versiond?user=versiond&host={self.directory}"

    def sql(self, text, database="versiond"):
        done = subprocess.run(
            ["psql", "-XqAt", "-h", self.directory, "-U", "versiond", "-d", database, "-c", text],
            capture_output=True, text=True)
        return done.stdout.split()


class Pooler:
    """PgBouncer before a server, in transaction mode, with a certificate that it has made itself."""

    def __init__(self, directory, server):
        self.directory, self.process = directory, None
        os.makedirs(directory)
        os.chmod(directory, 0o755)
        self.port = free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", directory + "/key.pem", "-out", directory + "/certificate.pem"],
            check=True, capture_output=True)
        with open(directory + "/pgbouncer.ini", "w") as file:
            file.write(f"""[databases]
versiond = host={server.directory} user=versiond
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 12
client_tls_sslmode = require
client_tls_key_file = {directory}/key.pem
client_tls_cert_file = {directory}/certificate.pem
""")
        self.user = as_postgres(directory + "/key.pem")
        self.start()

    @property
    def url(self):
        return (f"postgresql://versiond@localhost:{self.port}/versiond?sslmode=verify-full"
                f"&sslrootcert={self.directory}/certificate.pem")

    def start(self):
        with open(self.directory + ".log", "ab") as log:
            self.process = subprocess.Popen(
                self.user + ["pgbouncer", self.directory + "/pgbouncer.ini"], stdout=log, stderr=log)

    def end(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(timeout=PATIENCE)


class Proxy(threading.Thread):
    """Between a daemon and the server; it can cut what it has passed on, and slow it down.

    `how` it treats some commits: "cut": they arrive, and their responses are lost. "silent":
    the same, and the connection stays open. "late": the connection ends, and they arrive later.
    """

    def __init__(self, path, server):
        super().__init__(daemon=True)
        self.server, self.chance, self.delay, self.how = server, 0.0, 0.0, "cut"
        self.listener = socket.socket(socket.AF_UNIX)
        os.makedirs(path, exist_ok=True)
        self.listener.bind(path + "/.s.PGSQL.5432")
        self.listener.listen(64)
        self.random = random.Random(7)
        self.cuts, self.silent = 0, set()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            upstream = socket.socket(socket.AF_UNIX)
            try:
                upstream.connect(self.server.directory + "/.s.PGSQL.5432")
            except OSError:
                client.close()
                continue
            for source, target, is_request in ((client, upstream, True), (upstream, client, False)):
                threading.Thread(
                    target=self.pass_on, args=(source, target, is_request), daemon=True).start()

    def pass_on(self, source, target, is_request):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                if self.delay:
                    time.sleep(self.delay)
                if source in self.silent:
                    continue
                if is_request and b"commit\0" in data and self.random.random() < self.chance:
                    self.treat(source, target, data)
                    if self.how != "silent":
                        break
                else:
                    target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


    def treat(self, source, target, data):
        """A commit is on its way; its response will be lost."""
        self.cuts += 1
        if self.how == "silent":
            self.silent.add(target)
        else:
            source.shutdown(socket.SHUT_RDWR)
        if self.how == "late":
            time.sleep(self.random.uniform(0.1, 3))
        target.sendall(data)


class Roaming(Client):
    """A client that goes to another daemon now and then."""

    def send(self, call):
        if self.random.random() < 0.3:
            self.line = None
        super().send(call)


class Daemon:
    def __init__(self, world, number, url):
        self.world, self.number, self.url, self.process = world, number, url, None
        self.log = os.path.join(world.work, f"daemon-{number}.log")

    def start(self):
        with open(self.log, "ab+") as output:
            begin = output.seek(0, os.SEEK_END)
            self.process = subprocess.Popen(
                [self.world.binary, "serve", "--port", "0", "--journal", self.url],
                stdout=output, stderr=output)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with open(self.log, "rb") as file:
                file.seek(begin)
                text = file.read().decode(errors="replace")
            port = port_in(text)
            if port:
                self.port = port
                return
            if self.process.poll() is not None:
                # The database may be away.
                time.sleep(0.2)
                return self.start()
            time.sleep(0.01)
        raise Broken(f"daemon {self.number} does not start: {text}")

    def end(self, how):
        self.process.send_signal(how)
        require(self.process.wait(timeout=PATIENCE) is not None, "a daemon does not end")


class Packer(threading.Thread):
    """Packs all that can be packed, whatever happens meanwhile. It may fail, and must not find damage."""

    def __init__(self, world):
        super().__init__()
        self.command = [world.binary, "pack", "--journal", world.url]
        self.pause = world.random.uniform(0.2, 1)
        self.done = None

    def run(self):
        time.sleep(self.pause)
        self.done = subprocess.run(self.command, capture_output=True, text=True)

    def check(self):
        """How many entries were packed."""
        require(self.done.returncode in (0, 69, 74), "packing ends with", self.done.returncode, self.done.stderr)
        return int(self.done.stdout.split()[0]) if self.done.returncode == 0 else 0


class Cluster(World):
    """Daemons, the server, and who works on them."""

    def __init__(self, work, binary, seed, has_standby=False, has_pooler=False):
        self.prepare(work, binary, seed)
        self.server = Server(os.path.join(work, "a"))
        self.server.start()
        self.server.make_database()
        self.standby = None
        hosts = [self.server.directory]
        if has_standby:
            self.make_standby(os.path.join(work, "b"))
            hosts.append(os.path.join(work, "b"))
        self.proxy = Proxy(os.path.join(work, "proxy"), self.server)
        self.proxy.start()
        direct = "postgresql:///versiond?user=versiond&host=" + ",".join(hosts)
        behind = f"postgresql:///versiond?user=versiond&host={work}/proxy"
        self.url = direct
        urls = [direct, direct, direct if has_standby else behind]
        self.pooler = None
        if has_pooler:
            self.pooler = Pooler(os.path.join(work, "pooler"), self.server)
            urls = [self.pooler.url] * DAEMONS
        self.start_daemons(urls)

    def prepare(self, work, binary, seed):
        os.chmod(work, 0o755)
        self.work, self.seed, self.random = work, seed, random.Random(seed)
        self.binary = shutil.copy(binary, os.path.join(work, "versiond"))
        self.history, self.cursor, self.cycle = History(), 0, 0
        self.position = 0
        self.prefix, self.confirmed, self.requests, self.transactions = "d0-", 0, 0, 0
        self.packed = self.undone = 0
        self.points = {}
        self.is_over = False

    def start_daemons(self, urls):
        self.daemons = [Daemon(self, number, url) for number, url in enumerate(urls)]
        for daemon in self.daemons:
            daemon.start()

    def make_standby(self, directory):
        """A synchronous standby: what is confirmed is on both disks."""
        self.standby = Server(directory)
        os.makedirs(directory, exist_ok=True)
        subprocess.run(
            as_postgres(directory) + ["pg_basebackup", "-h", self.server.directory, "-U", "versiond", "-D",
                    directory + "/data", "-R", "-X", "stream", "-c", "fast"], check=True)
        self.standby.start()
        self.server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "postgres")
        self.server.sql("SELECT pg_reload_conf()", "postgres")

    @property
    def port(self):
        return self.random.choice(self.daemons).port

    def is_up(self):
        return True

    # Faults

    def disturb(self, kind):
        pause = self.random.uniform(0.3, 1.2)
        time.sleep(pause)
        daemon = self.random.choice(self.daemons)
        if kind == "kill":
            daemon.end(signal.SIGKILL)
            time.sleep(pause / 4)
            daemon.start()
        elif kind == "backend":
            self.kill_backend()
        elif kind == "terminate":
            for _ in range(6):
                self.server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                    "'versiond' AND pid <> pg_backend_pid() AND random() < 0.4")
                time.sleep(pause / 6)
        elif kind == "immediate":
            self.server.end(signal.SIGQUIT)
            time.sleep(pause / 2)
            self.server.start()
        elif kind == "freeze":
            daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(pause * 2)
            daemon.process.send_signal(signal.SIGCONT)
        elif kind in ("cut", "silent", "late"):
            self.proxy.chance, self.proxy.how = 0.05, kind
            time.sleep(pause * 2)
            self.proxy.chance = 0.0
        elif kind == "pooler":
            self.pooler.end()
            time.sleep(pause / 2)
            self.pooler.start()
        elif kind == "keep":
            self.keep(pause * 3)
        elif kind == "frozen":
            self.freeze_backend(pause * 2)
        elif kind == "slow":
            self.proxy.delay = 0.03
            time.sleep(pause * 2)
            self.proxy.delay = 0.0
        elif kind == "failover":
            self.fail_over()
        time.sleep(pause)

    def kill_backend(self):
        """The server takes this for a crash and restarts by itself."""
        pids = self.server.sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = 'versiond' "
            "AND pid <> pg_backend_pid()")
        if pids:
            try:
                os.kill(int(self.random.choice(pids)), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def keep(self, duration):
        """Another session of the database keeps a document."""
        name = self.random.choice(self.server.sql("SELECT encode(name, 'escape') FROM versiond_document") or ["-"])
        self.server.sql(
            f"BEGIN; SELECT 1 FROM versiond_document WHERE name = decode('{name}', 'escape') FOR UPDATE; "
            f"SELECT pg_sleep({duration}); COMMIT")

    def freeze_backend(self, duration):
        """A server process says nothing for a time, and keeps what it has."""
        pids = self.server.sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = 'versiond' AND pid <> pg_backend_pid()")
        try:
            pid = int(self.random.choice(pids))
            os.kill(pid, signal.SIGSTOP)
            time.sleep(duration)
            os.kill(pid, signal.SIGCONT)
        except (IndexError, ProcessLookupError):
            pass

    def fail_over(self):
        """The primary is gone at once, and its standby takes its place; then they change parts."""
        old, new = self.server, self.standby
        old.end(signal.SIGQUIT)
        new.sql("SELECT pg_promote()", "postgres")
        new.sql("ALTER SYSTEM RESET synchronous_standby_names", "postgres")
        new.sql("SELECT pg_reload_conf()", "postgres")
        self.server = new
        time.sleep(1)
        shutil.rmtree(old.directory)
        self.make_standby(old.directory)

    # Packing

    def ripen_order(self):
        """The outcome of all commits is known by now: their places may be packed, as after ten minutes."""
        self.server.sql("UPDATE versiond_packing SET marked_at = 0, marked = "
                        "(SELECT coalesce(max(last), 0) FROM versiond_order) WHERE id = 1")

    # One cycle

    def run(self, kind):
        self.is_over = False
        start = self.cursor
        clients = [Roaming(self, n, self.random.random()) for n in range(CLIENTS)]
        followers = [Follower(self, shape) for shape in ("lines", "events", "poll")]
        self.ripen_order()
        for thread in clients + followers:
            thread.start()
        packer = Packer(self)
        packer.start()
        self.disturb(kind)
        packer.join()
        self.packed += packer.check()
        self.is_over = True
        for thread in clients:
            thread.join(timeout=PATIENCE)
            require(not thread.is_alive(), "a client hangs")
        calls = [call for client in clients for call in client.calls]
        self.wait_until_ready()
        self.verify(calls, followers, start)

    def wait_until_ready(self):
        deadline = time.monotonic() + PATIENCE
        for daemon in self.daemons:
            while subprocess.run(
                [self.binary, "health", "--port", str(daemon.port)],
                capture_output=True).returncode != 0:
                require(time.monotonic() < deadline, f"daemon {daemon.number} is not ready")
                time.sleep(0.1)

    def verify(self, calls, followers, start):
        self.retry(calls)
        self.note_journal()
        self.requests += len(calls)
        self.confirmed += sum(call.is_change for call in calls)
        check_calls(self.history, calls)
        check_drafts(self.history)
        check_order(self.history, calls)
        self.undone += sum(call.kind.endswith("do-run") and call.status == 200 for call in calls)
        self.check_points()
        # All but the last fifty.
        since = self.history.items[-51]["cursor"] if len(self.history.items) > 50 else 0
        for follower in followers:
            follower.join(timeout=PATIENCE)
            check_follower(self.history, follower, start)
        for daemon in self.daemons:
            self.check_daemon(daemon)
        self.confirm_feed(since)
        if self.cycle % 5 == 0:
            self.read_again()
            done = subprocess.run(
                [self.binary, "check", "--journal", self.url], capture_output=True, text=True)
            require(done.returncode == 0, "check finds faults:", done.stdout, done.stderr)

    def read_journal(self):
        """All that is stored. A feed may be behind for a moment: so it is asked until it is there."""
        last = int(self.server.sql("SELECT coalesce(max(last), 0) FROM versiond_order")[0])
        deadline = time.monotonic() + PATIENCE
        while self.position < last:
            require(time.monotonic() < deadline, "a feed ends at", self.cursor, "of", last)
            page = get(self.port, f"/v1/feed?cursor={self.cursor}&limit=1000&wait=1s")
            for item in page["events"]:
                self.history.add(item)
            self.cursor = page["next"]
            self.count(self.cursor)

    def count(self, cursor):
        """How many changes a position is behind: after a cut positions are counted from there.

        The database says where it was cut: the last changes before may be none that a feed shows.
        """
        mark, rest = divmod(cursor, MARK)
        _, *cuts = self.server.sql(
            "SELECT convert_from(position, 'UTF8') FROM versiond_packing WHERE id = 2")
        places = dict(map(int, cut.split("@")) for cut in cuts)
        self.position = places.get(mark, 0) + rest

    def check_daemon(self, daemon):
        """The responses of each daemon equal the replayed journal."""
        for name, document in self.history.documents.items():
            if document.states[-1] is None:
                continue
            value = get(daemon.port, f"/v1/documents/{name}")
            require(
                value == document.states[-1], name, "on daemon", daemon.number,
                "is not what its changes make")

    def confirm_feed(self, since):
        """Positions are the same on all daemons, from one on."""
        for daemon in self.daemons:
            page = get(daemon.port, f"/v1/feed?cursor={since}&limit=50&wait=1s")
            mine = [
                (item["cursor"], item["document"], item["revision"]) for item in plain(page["events"])]
            known = [
                (item["cursor"], item["document"], item["revision"])
                for item in self.history.items if item["cursor"] > since]
            require(mine == known[: len(mine)] and (mine or not known),
                    "the feed of daemon", daemon.number, "after", since, "is", mine, "and not", known)

    def close(self):
        for daemon in self.daemons:
            if daemon.process and daemon.process.poll() is None:
                daemon.end(signal.SIGTERM)
        if self.pooler:
            self.pooler.end()
        for server in (self.server, self.standby):
            if server and server.process.poll() is None:
                server.end()


def run_cycles(world, cycles, kind_of, report, per_history=None):
    """Runs all cycles and reports them by `report`; or reports a violation. A history has this number of cycles."""
    kind = "none"
    try:
        for world.cycle in range(1, cycles + 1):
            kind = kind_of(world.cycle)
            world.run(kind)
            if per_history and world.cycle % per_history == 0:
                world.forget()
        print(report())
    except Broken as broken:
        print(f"BROKEN in cycle {world.cycle} ({kind}) of seed {world.seed}, {world.work}:\n{broken}")
        for daemon in world.daemons:
            daemon.process.kill()
        world.close()
        sys.exit(1)
    world.close()
    shutil.rmtree(world.work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--kinds")
    parser.add_argument("--failover", action="store_true")
    parser.add_argument("--pooler", action="store_true")
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    work = os.path.realpath(tempfile.mkdtemp())
    world = Cluster(work, os.path.abspath(options.binary), options.seed, options.failover, options.pooler)
    begin, counts = time.monotonic(), {}
    kinds = options.kinds.split(",") if options.kinds else POOLER_KINDS if options.pooler else KINDS

    def kind_of(cycle):
        kind = "failover" if options.failover else kinds[(cycle - 1) % len(kinds)]
        counts[kind] = counts.get(kind, 0) + 1
        return kind

    run_cycles(world, options.cycles, kind_of, lambda: (
        f"{options.cycles} cycles of {DAEMONS} daemons in {time.monotonic() - begin:.0f} s, "
        f"{world.requests} requests, {world.confirmed} confirmed changes, "
        f"{world.transactions} transactions of several documents, {world.undone} undos and redos of a run, 0 lost, "
        f"0 without a part, {world.packed} packed, {world.proxy.cuts} commits cut, seed {options.seed}\n"
        + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))),
        CYCLES_PER_HISTORY)


if __name__ == "__main__":
    main()
