#!/usr/bin/env python3
"""Three daemons on three PostgreSQL servers under Patroni, with etcd and HAProxy, as in Config/patroni.

In every cycle the primary is ended at once, with the Patroni that watches it, while clients write; another one
takes its place, and the ended one comes back as a standby. Nothing confirmed may be lost. Usage:

    Tests/Torture/patroni.py [--cycles 10] [--seed 1] [--binary .build/debug/versiond]

Needs the packages patroni, etcd-server, haproxy and postgresql.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from check import Broken, require
from cluster import Cluster, DAEMONS, as_postgres, free_port, run_cycles

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = os.path.join(HERE, "../../Config/patroni")
NODES = ["one", "two", "three"]


class Node:
    """A PostgreSQL server with its Patroni."""

    def __init__(self, work, name, etcd):
        self.work, self.name, self.etcd, self.process = work, name, etcd, None
        self.port, self.api = free_port(), free_port()
        self.home = os.path.join(work, name)
        os.makedirs(self.home)
        self.user = as_postgres(self.home)

    def start(self):
        binaries = sorted(os.listdir("/usr/lib/postgresql"), key=int)[-1]
        environment = dict(
            os.environ, HOME=self.home, PATRONI_NAME=self.name, PATRONI_ETCD3_HOSTS=f"127.0.0.1:{self.etcd}",
            PATRONI_RESTAPI_LISTEN=f"127.0.0.1:{self.api}", PATRONI_RESTAPI_CONNECT_ADDRESS=f"127.0.0.1:{self.api}",
            PATRONI_POSTGRESQL_LISTEN=f"127.0.0.1:{self.port}",
            PATRONI_POSTGRESQL_CONNECT_ADDRESS=f"127.0.0.1:{self.port}",
            PATRONI_POSTGRESQL_DATA_DIR=self.home + "/data", PATRONI_POSTGRESQL_PGPASS=self.home + "/pgpass",
            PATRONI_POSTGRESQL_BIN_DIR=f"/usr/lib/postgresql/{binaries}/bin",
            PATRONI_REPLICATION_PASSWORD="replication", PATRONI_SUPERUSER_PASSWORD="super")
        with open(self.home + ".log", "ab") as log:
            self.process = subprocess.Popen(
                self.user + ["patroni", self.work + "/patroni.yml"], stdout=log, stderr=log, env=environment,
                start_new_session=True)

    def state(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/patroni", timeout=2) as answer:
                return json.load(answer)
        except OSError as error:
            # 503 while it starts.
            return json.load(error) if hasattr(error, "read") else {}

    @property
    def is_primary(self):
        state = self.state()
        return state.get("role") in ("master", "primary") and state.get("state") == "running"

    def end(self):
        """All of it at once, as if the machine had lost its power."""
        for process in (self.process.pid, self.postmaster()):
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, TypeError):
                pass
        self.process.wait(timeout=20)

    def postmaster(self):
        try:
            with open(self.home + "/data/postmaster.pid") as file:
                return int(file.readline())
        except (OSError, ValueError):
            return None


class Servers:
    """All of them, as one server."""

    def __init__(self, work):
        os.makedirs(work)
        os.chmod(work, 0o755)
        shutil.copy(os.path.join(CONFIG, "patroni.yml"), work)
        client, peer = free_port(), free_port()
        self.etcd = subprocess.Popen(
            ["etcd", "--data-dir", work + "/etcd", "--listen-client-urls", f"http://127.0.0.1:{client}",
             "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--unsafe-no-fsync"],
            stdout=open(work + "/etcd.log", "wb"), stderr=subprocess.STDOUT)
        self.nodes = [Node(work, name, client) for name in NODES]
        for node in self.nodes:
            node.start()
        self.port = free_port()
        with open(os.path.join(CONFIG, "haproxy.cfg")) as file:
            text = file.read().replace("127.0.0.1:5000", f"127.0.0.1:{self.port}")
        text = text.replace("check port 8008", "check")
        for node in self.nodes:
            text = re.sub(
                rf"server {node.name} +.*", f"server {node.name} 127.0.0.1:{node.port} port {node.api}", text)
        with open(work + "/haproxy.cfg", "w") as file:
            file.write(text)
        self.wait()
        self.haproxy = subprocess.Popen(["haproxy", "-f", work + "/haproxy.cfg"])

    @property
    def primary(self):
        return next((node for node in self.nodes if node.is_primary), None)

    def wait(self):
        """Until one leads and another one has all that it confirms."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            primary = self.primary
            if primary and len(primary.state().get("replication", [])) == len(NODES) - 1 and any(
                    one.get("sync_state") == "sync" for one in primary.state()["replication"]):
                return
            time.sleep(0.5)
        raise Broken("the servers do not come together")

    def sql(self, text, database="versiond"):
        for _ in range(60):
            primary = self.primary
            done = primary and subprocess.run(
                ["psql", "-XqAt", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres", "-d", database, "-c",
                 text], capture_output=True, text=True, env=dict(os.environ, PGPASSWORD="super"))
            if done and done.returncode == 0:
                return done.stdout.split()
            time.sleep(0.5)
        raise Broken("no server answers:", text)

    def close(self):
        self.haproxy.terminate()
        for node in self.nodes:
            node.end()
        self.etcd.kill()


class Patroni(Cluster):
    def __init__(self, work, binary, seed):
        self.prepare(work, binary, seed)
        self.server = Servers(os.path.join(work, "servers"))
        self.server.sql("CREATE DATABASE versiond", "postgres")
        self.url = f"postgresql://postgres:super@127.0.0.1:{self.server.port}/versiond"
        self.start_daemons([self.url] * DAEMONS)
        self.times, self.restarts = [], 0

    def disturb(self, kind):
        time.sleep(self.random.uniform(0.5, 2))
        old = self.server.primary
        began = time.monotonic()
        old.end()
        while not (self.server.primary and self.is_ready()):
            require(time.monotonic() < began + 90, "nobody takes the place of the primary")
            self.restart_ended()
            time.sleep(0.2)
        self.times.append(time.monotonic() - began)
        time.sleep(1)
        old.start()
        self.server.wait()

    def restart_ended(self):
        """As systemd does. A stopping primary shows for a moment entries that its standby lacks; a daemon
        that has read those cannot continue."""
        for daemon in self.daemons:
            if daemon.process.poll() is not None:
                with open(daemon.log, "rb") as file:
                    require(b"has gone back" in file.read(), "a daemon has ended")
                self.restarts += 1
                daemon.start()

    def is_ready(self):
        return all(
            subprocess.run([self.binary, "health", "--port", str(one.port)], capture_output=True).returncode == 0
            for one in self.daemons)

    def close(self):
        for daemon in self.daemons:
            if daemon.process and daemon.process.poll() is None:
                daemon.end(signal.SIGTERM)
        self.server.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    work = os.path.realpath(tempfile.mkdtemp())
    world = Patroni(work, os.path.abspath(options.binary), options.seed)
    run_cycles(world, options.cycles, lambda cycle: "failover", lambda: (
        f"{options.cycles} failovers by Patroni, ready again after {min(world.times):.0f} to "
        f"{max(world.times):.0f} s, {world.requests} requests, {world.confirmed} confirmed changes, 0 lost, "
        f"{world.restarts} daemons begun anew, seed {options.seed}"))


if __name__ == "__main__":
    main()
