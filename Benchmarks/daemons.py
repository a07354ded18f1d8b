#!/usr/bin/env python3
"""Daemons on one PostgreSQL: durable PATCHes a second of one and of three, compared with pgbench, which does the same
inserts in groups without a daemon (`journal`: changes in a second of commits, without all else); and how long a change takes from one
daemon to a follower of another.

`3 own`: each daemon gets the requests for a third of the documents, as a proxy does that spreads them by name.

Everything runs on this machine, in turn. Needs wrk and pgbench. Usage: Benchmarks/daemons.py BINARY [SECONDS]
"""

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Tests/Torture"))
from cluster import Server  # noqa: E402

DOCUMENTS = 1_000
CONNECTIONS = 63
ROUNDS = 3
# The approximate bytes of a journaled merge patch of one small member.
BODY = 60


def lua(path, is_hot, own=None):
    """`own`: of the documents only each third, from this one on."""
    document = "0" if is_hot else f"math.random(0, {DOCUMENTS - 1})"
    if own is not None and not is_hot:
        document = f"(math.random(0, {DOCUMENTS // 3 - 1}) * 3 + {own})"
    with open(path, "w") as file:
        file.write("""
            local n = 0
            local fields = {["Content-Type"] = "application/merge-patch+json"}
            function setup(thread) thread:set("seed", os.time() * 100 + wrk.port %% 100) end
            function init() math.randomseed(seed) end
            function request()
                n = n + 1
                local d = %s
                return wrk.format("PATCH", "/v1/documents/d" .. d, fields, '{"n":' .. math.random(1e9) .. '}')
            end
        """ % document)
    return path


def pgbench_script(path, is_hot, group):
    """The statements that a daemon sends for a group: one for one document, or one for each of many."""
    append = """
        WITH d AS (UPDATE bench_document SET revision = revision + {n}, chain = :'h'::bytea WHERE name = {key}::text::bytea
            RETURNING name, revision)
        INSERT INTO bench_entry SELECT d.name, d.revision - e, 0, :'h'::bytea, :'b'::bytea FROM d, generate_series(0, {n} - 1) e;
    """
    keys = ["0"] if is_hot else [f":k{i}" for i in range(group)]
    with open(path, "w") as file:
        file.write(f"\\set h {'7' * 9}\n\\set b {'7' * 9}\n")
        if not is_hot:
            # In order, as daemons do, so that there is no deadlock.
            step = DOCUMENTS // group
            for i in range(group):
                file.write(f"\\set k{i} random({i * step}, {(i + 1) * step - 1})\n")
        file.write("BEGIN;\n")
        for key in keys:
            file.write(" ".join(append.format(n=group if is_hot else 1, key=key).split()) + "\n")
        file.write(
            f"WITH h AS (UPDATE bench_head SET last = last + {group} RETURNING last) INSERT INTO bench_order "
            f"SELECT last, 'x', array_fill('d'::bytea, ARRAY[{group}]), array_fill(1::bigint, ARRAY[{group}]) FROM h;\n"
            "COMMIT;\n")
    text = open(path).read().replace(":'h'::bytea", f"'{'h' * 32}'::bytea").replace(
        ":'b'::bytea", f"'{'b' * BODY}'::bytea")
    open(path, "w").write(text)
    return path


class Cluster:
    def __init__(self, binary):
        self.work = os.path.realpath(tempfile.mkdtemp())
        os.chmod(self.work, 0o755)
        self.server = Server(os.path.join(self.work, "a"))
        self.server.start("-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB")
        url = self.server.make_database()
        self.daemons = []
        for port in (8291, 8292, 8293):
            self.daemons.append(subprocess.Popen(
                [binary, "serve", "--port", str(port), "--journal", url, "--log-level", "warning"]))
        for port in (8291, 8292, 8293):
            self.wait(port)
        self.sql("""
            CREATE TABLE bench_document(name bytea PRIMARY KEY, revision bigint, chain bytea);
            CREATE TABLE bench_entry(document bytea, revision bigint, lifecycle bigint, chain bytea, body bytea,
                PRIMARY KEY (document, revision));
            CREATE TABLE bench_order(last bigint PRIMARY KEY, batch bytea, documents bytea[], revisions bigint[]);
            CREATE TABLE bench_head(id bigint PRIMARY KEY, last bigint);
            INSERT INTO bench_head VALUES (1, 0);
            INSERT INTO bench_document SELECT i::text::bytea, 0, 'h' FROM generate_series(0, 999) i;
        """)
        line = http.client.HTTPConnection("127.0.0.1", 8291)
        for number in range(DOCUMENTS):
            line.request("PUT", f"/v1/documents/d{number}", '{"n":0}', {"Content-Type": "application/json"})
            line.getresponse().read()

    def sql(self, text):
        return self.server.sql(text)

    def wait(self, port):
        for _ in range(200):
            try:
                line = http.client.HTTPConnection("127.0.0.1", port)
                line.request("GET", "/readyz")
                if line.getresponse().status == 200:
                    return
            except OSError:
                time.sleep(0.05)

    def rate(self, ports, scripts, seconds):
        """PATCHes a second over all ports, and how many were refused; with a script for each, or one for all."""
        if isinstance(scripts, str):
            scripts = [scripts] * len(ports)
        runs = [
            subprocess.Popen(
                ["wrk", "-t1", f"-c{CONNECTIONS // len(ports)}", f"-d{seconds}", "-s", script, "--latency",
                 f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True)
            for port, script in zip(ports, scripts)]
        total = refused = 0
        for run in runs:
            text = run.communicate()[0]
            total += float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
            found = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
            refused += int(found.group(1)) if found else 0
        return total - refused / seconds, refused

    def journal(self, port):
        """Changes, and seconds of commits, until now."""
        line = http.client.HTTPConnection("127.0.0.1", port)
        line.request("GET", "/metrics")
        text = line.getresponse().read().decode()
        found = [
            re.search(rf"^versiond_commit_{name}_sum ([\d.]+)", text, re.M)
            for name in ("batch_events", "duration_seconds")]
        return [float(one.group(1)) if one else 0.0 for one in found]

    def pgbench(self, script, clients, group, seconds):
        done = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-f", script, "-c", str(clients), "-j", "1", "-T", str(seconds),
             "-h", self.server.directory, "-U", "versiond", "versiond"], capture_output=True, text=True)
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        return float(found.group(1)) * group if found else 0.0

    def delays(self, count):
        """Milliseconds from a request to one daemon until a follower of another has the change."""
        seen, delays = {}, []
        follower = http.client.HTTPConnection("127.0.0.1", 8292, timeout=30)
        follower.request("GET", "/v1/documents/d1/feed", headers={"Accept": "application/x-ndjson"})
        stream = follower.getresponse()

        def follow():
            while len(seen) < count:
                item = json.loads(stream.readline() or b"{}")
                if item.get("event") == "change":
                    seen[item["revision"]] = time.monotonic()

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        time.sleep(0.5)
        line = http.client.HTTPConnection("127.0.0.1", 8291)
        began = {}
        for number in range(count):
            start = time.monotonic()
            line.request(
                "PATCH", "/v1/documents/d1", '{"n":%d}' % -number, {"Content-Type": "application/merge-patch+json"})
            began[json.loads(line.getresponse().read())["revision"]] = start
            time.sleep(0.01)
        thread.join(timeout=20)
        for revision, start in began.items():
            if revision in seen:
                delays.append((seen[revision] - start) * 1_000)
        return sorted(delays)

    def close(self):
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()
        self.server.end()
        shutil.rmtree(self.work)


def main():
    binary, seconds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    cluster = Cluster(binary)
    ports = [8291, 8292, 8293]
    try:
        print(
            f"{'':16}{'1 daemon':>10}{'3 daemons':>11}{'3 own':>10}{'journal':>10}{'pgbench':>10}{'ratio 1':>9}{'ratio 3':>9}"
            f"{'journal':>9}{'refused':>9}")
        for name, is_hot in (("one document", True), (f"{DOCUMENTS} documents", False)):
            script = lua(cluster.work + "/patch.lua", is_hot)
            thirds = [lua(f"{cluster.work}/own{number}.lua", is_hot, number) for number in range(3)]
            ours, three, own, peer, alone, refused = [], [], [], [], [], 0
            for _ in range(ROUNDS):
                before = cluster.journal(ports[0])
                ours.append(cluster.rate(ports[:1], script, seconds)[0])
                after = cluster.journal(ports[0])
                alone.append((after[0] - before[0]) / (after[1] - before[1]))
                rate, count = cluster.rate(ports, script, seconds)
                three.append(rate)
                refused += count
                own.append(cluster.rate(ports, thirds, seconds)[0])
                # A daemon has a group of about half of its clients in each commit.
                best = 0
                for clients, group in ((1, 32), (3, 10), (3, 21)):
                    bench = pgbench_script(cluster.work + "/bench.sql", is_hot, group)
                    best = max(best, cluster.pgbench(bench, clients, group, seconds))
                peer.append(best)
            one, many, spread, best, busy = (
                statistics.median(values) for values in (ours, three, own, peer, alone))
            print(
                f"{name:16}{one:10.0f}{many:11.0f}{spread:10.0f}{busy:10.0f}{best:10.0f}{one / best:9.2f}{many / best:9.2f}"
                f"{busy / best:9.2f}{refused:9}")
        delays = cluster.delays(500)
        print(
            f"from a request to one daemon to a follower of another, {len(delays)} changes: p50 "
            f"{delays[len(delays) // 2]:.1f} ms, p99 {delays[len(delays) * 99 // 100]:.1f} ms")
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
