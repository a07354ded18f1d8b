#!/usr/bin/env python3
"""Starts the real daemon again and again, lets many clients work, and ends it by force.

After each end the disk is as a power cut could have left it, or as the kill left it; then every
answer that was given is compared with what is there. Usage:

    Tests/Torture/torture.py [--cycles 20] [--seed 1] [--kinds kill,cut,...] [--steps]

--steps kills the daemon before each single operation on the disk, one run for each. --full-steps
takes all room away at each of them, kills the daemon, and starts it on the full disk.
"""

import argparse
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from check import (
    Broken, History, check_calls, check_drafts, check_follower, check_order, check_point, plain, require)
from client import Call, Client, Follower
from disk import Disk
from serving import get, get_or_none, port_in

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["kill", "cut", "cut-sync", "cut-short", "cut-full", "cut-clock", "stop"]
CLIENTS = 5
# How long clients work before an end, at most, in seconds.
PAUSE = 0.8
# A history is kept this long; then new documents are begun, and a new directory now and then.
CYCLES_PER_HISTORY = 10
CYCLES_PER_DIRECTORY = 50


class World:
    """One directory, and who works on it."""

    def __init__(self, work, binary, seed, is_faulty=True):
        self.is_faulty = is_faulty
        self.work, self.random = work, random.Random(seed)
        # A copy: a build meanwhile does not change the tested binary.
        self.binary = shutil.copy(binary, os.path.join(work, "versiond"))
        self.data = os.path.join(work, "data")
        self.path = os.path.join(work, "fault")
        self.clock = os.path.join(work, "clock")
        os.makedirs(self.data)
        self.library = os.path.join(work, "disk.so")
        subprocess.run(
            ["clang", "-shared", "-fPIC", "-O1", "-o", self.library, HERE + "/disk.c", "-ldl"],
            check=True)
        self.disk = Disk(self.data, os.path.join(work, "records"))
        self.history, self.cursor, self.cycle = History(), 0, 0
        self.prefix = "d0-"
        self.confirmed = self.requests = self.transactions = self.merges = self.undone = 0
        # The restore points, each with the last position that was confirmed.
        self.points = {}
        self.pause = PAUSE
        self.is_over = False
        self.daemon = None

    # The daemon

    def start(self, **settings):
        environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
        if self.is_faulty:
            environment.update(
                LD_PRELOAD=self.library, DISK_ROOT=self.data, DISK_LOG=self.disk.log,
                DISK_FAULT=self.path, DISK_CLOCK=self.clock)
        self.output = open(os.path.join(self.work, "daemon.log"), "ab+")
        begin = self.output.seek(0, os.SEEK_END)
        self.daemon = subprocess.Popen(
            [self.binary, "serve", "--directory", self.data, "--port", "0"],
            env=environment, stdout=self.output, stderr=self.output)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with open(self.output.name, "rb") as file:
                file.seek(begin)
                text = file.read().decode(errors="replace")
            port = port_in(text)
            if port:
                self.port = port
                return True
            if self.daemon.poll() is not None:
                if "DISK_STOP" in settings or "DISK_FULL_FROM" in settings:
                    return False
                raise Broken(f"the daemon does not start ({self.daemon.returncode}): {text}")
            time.sleep(0.005)
        raise Broken("the daemon does not start in 20 seconds")

    def is_up(self):
        return self.daemon.poll() is None

    def end(self, how):
        if self.is_up():
            self.daemon.send_signal(how)
        self.daemon.wait(timeout=30)
        self.output.close()

    def fault(self, text):
        for path, content in ((self.path, text), (self.clock, "0")):
            with open(path + ".new", "w") as file:
                file.write(content)
            os.rename(path + ".new", path)

    def set_clock(self, seconds):
        with open(self.clock + ".new", "w") as file:
            file.write(str(seconds))
        os.rename(self.clock + ".new", self.clock)

    # Asking

    def read_journal(self):
        """The entries after the last known position."""
        while True:
            page = get(self.port, f"/v1/feed?cursor={self.cursor}&limit=1000")
            for item in page["events"]:
                self.history.add(item)
            self.cursor = page["next"]
            if len(page["events"]) < 1000:
                return

    def note_journal(self):
        """Reads it, and counts the transactions of several documents."""
        known = self.several()
        self.read_journal()
        self.transactions += self.several() - known

    def several(self):
        return sum(len(parts) > 1 for parts in self.history.transactions.values())

    def note_point(self, point):
        name = point["restorePoint"]
        self.points[name] = max(self.points.get(name, 0), point["cursor"])

    def check_points(self):
        for name, confirmed in self.points.items():
            point = get_or_none(self.port, f"/v1/restore-points/{name}")
            check_point(self.history, name, confirmed, point, lambda document: get(
                self.port, f"/v1/documents/{document}?at=restore-point:{name}"))

    def read_again(self):
        """All of it, as it was."""
        position, index = self.history.items[0]["cursor"] - 1 if self.history.items else 0, 0
        while index < len(self.history.items):
            page = get(self.port, f"/v1/feed?cursor={position}&limit=1000")
            for item in page["events"]:
                require(plain(item) == self.history.items[index], "history has changed at", item["cursor"])
                index += 1
            require(page["events"], "history is shorter than it was")
            position = page["next"]

    # One cycle

    def run(self, kind):
        self.is_over = False
        self.fault("")
        self.start()
        start = self.cursor
        clients = [Client(self, n, self.random.random()) for n in range(CLIENTS)]
        followers = [Follower(self, shape) for shape in ("lines", "events", "poll")]
        for thread in clients + followers:
            thread.start()
        self.disturb(kind)
        self.end(signal.SIGTERM if kind == "stop" else signal.SIGKILL)
        self.is_over = True
        for thread in clients + followers:
            thread.join(timeout=30)
            require(not thread.is_alive(), "a client hangs")
        self.disk.read()
        how = kind
        if kind.startswith("cut"):
            how += " " + self.disk.cut(self.random)
        calls = [call for client in clients for call in client.calls]
        self.verify(calls, followers, start)
        return how

    def disturb(self, kind):
        pause = self.random.uniform(self.pause / 16, self.pause)
        if kind in ("cut-sync", "cut-short", "cut-full"):
            time.sleep(pause / 2)
            self.fault({"cut-sync": "flaky", "cut-short": "short", "cut-full": "full"}[kind])
            time.sleep(pause / 2)
        elif kind == "cut-clock":
            for _ in range(4):
                self.set_clock(self.random.choice([-1, 1]) * self.random.randrange(3 * 365 * 86_400))
                time.sleep(pause / 4)
        else:
            time.sleep(pause)

    def verify(self, calls, followers, start):
        self.fault("")
        self.start()
        self.retry(calls)
        self.note_journal()
        self.requests += len(calls)
        self.confirmed += sum(call.is_change for call in calls)
        check_calls(self.history, calls)
        self.merges = max(self.merges, check_drafts(self.history))
        check_order(self.history, calls)
        self.undone += sum(call.kind.endswith("do-run") and call.status == 200 for call in calls)
        self.check_points()
        for follower in followers:
            check_follower(self.history, follower, start)
        for name, document in self.history.documents.items():
            if document.states[-1] is not None:
                value = get(self.port, f"/v1/documents/{name}")
                require(value == document.states[-1], name, "is not what its changes make")
        if self.cycle % 5 == 0:
            self.read_again()
        is_clean = self.random.random() < 0.3
        self.end(signal.SIGTERM if is_clean else signal.SIGKILL)
        self.disk.read()
        if self.cycle % 5 == 0:
            done = subprocess.run(
                [self.binary, "check", "--directory", self.data], capture_output=True, text=True)
            require(done.returncode == 0, "check finds faults:", done.stdout, done.stderr)

    def retry(self, calls):
        """A request with an unknown outcome is sent again with its key, and carried out once."""
        helper = Client(self, 99, 0)
        for call in calls:
            is_unknown = call.status is None or call.status in (503, 504)
            if is_unknown and call.key and call.began is not None:
                call.retries += 1
                call.status = call.revision = call.body = None
                helper.send(call)
                # A condition may not hold any more; a key that is known comes first.
                require(call.status is not None, "no answer to", call)

    def forget(self):
        """Begins new documents."""
        self.history, self.points = History(), {}
        self.prefix = f"d{self.cycle}-"

    def begin_anew(self):
        self.forget()
        if self.cycle % CYCLES_PER_DIRECTORY == 0:
            self.empty()

    def empty(self):
        shutil.rmtree(self.data)
        os.makedirs(self.data)
        self.disk.restart()
        self.cursor = 0


def run_steps(world, most):
    """Kills the daemon before its n-th operation on the disk, for each n."""
    for number in range(1, most + 1):
        world.empty()
        world.history, world.cycle = History(), number
        world.fault("")
        calls = []
        if world.start(DISK_STOP=number):
            send_first(world, number, calls)
        is_reached = not world.is_up() or world.daemon.poll() is not None
        if not is_reached:
            world.end(signal.SIGTERM)
            is_reached = world.daemon.returncode != 0
        else:
            world.end(signal.SIGKILL)
        world.disk.read()
        mode = world.disk.cut(world.random)
        try:
            world.verify(calls, [], 0)
        except Broken as broken:
            raise Broken(f"killed before operation {number}, cut ({mode}): {broken}")
        if not is_reached:
            print(f"{number - 1} steps from the first start to a clean end, each survived")
            return
    raise Broken(f"there are more than {most} steps")


FIRST_CALLS = [("put", None), ("merge", None), ("undo", None), ("put", None), ("delete", None)]


def send_first(world, number, calls):
    """Sends the first calls, as far as the daemon lives."""
    client = Client(world, 0, number)
    for count, (kind, _) in enumerate(FIRST_CALLS):
        call = Call(kind, "d", f"s{number}-{count}", key=f"s{number}-{count}")
        calls.append(call)
        try:
            client.send(call)
        except (OSError, http.client.HTTPException):
            return


def run_full_steps(world, most):
    """Takes the room away from the n-th operation on, for each n, and starts on the full disk."""
    for number in range(1, most + 1):
        world.empty()
        world.history, world.cycle = History(), number
        world.fault("")
        calls = []
        is_up = world.start(DISK_FULL_FROM=number)
        if is_up:
            send_first(world, number, calls)
        confirmed = [call for call in calls if call.is_change]
        for call in calls:
            require(call.status in (200, 201, 204, 404, 409, 410, 412, 507), "on a full disk:", call)
        is_reached = not is_up or any(call.status == 507 for call in calls)
        world.end(signal.SIGKILL if number % 2 else signal.SIGTERM)
        world.disk.read()
        world.fault("no-room")
        try:
            if world.start(DISK_FULL_FROM=10**9):
                require_full(world, confirmed)
                world.end(signal.SIGKILL if number % 3 else signal.SIGTERM)
            else:
                require(not confirmed, "a daemon with documents does not start on a full disk")
            world.disk.read()
            world.verify(calls, [], 0)
        except Broken as broken:
            raise Broken(f"no room from operation {number} on: {broken}")
        if not is_reached:
            print(f"the disk became full at each of {number - 1} steps, and the daemon started on it")
            return
    raise Broken(f"there are more than {most} steps")


def require_full(world, confirmed):
    """On a full disk everything is read, and nothing is half done."""
    if confirmed and confirmed[-1].kind != "delete":
        get(world.port, "/v1/documents/d")
    if confirmed:
        page = get(world.port, "/v1/documents/d/feed?cursor=-1")
        count = len([call for call in confirmed])
        require(len(page["events"]) >= count, count, "were confirmed, and fewer are there")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--pause", type=float, default=PAUSE)
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--full-steps", action="store_true")
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    work = os.path.realpath(tempfile.mkdtemp())
    world = World(work, os.path.abspath(options.binary), options.seed)
    world.pause = options.pause
    begin = time.monotonic()
    try:
        if options.steps:
            return run_steps(world, 400)
        if options.full_steps:
            return run_full_steps(world, 400)
        counts = {}
        for world.cycle in range(1, options.cycles + 1):
            kind = world.random.choice(options.kinds.split(","))
            how = world.run(kind)
            counts[how] = counts.get(how, 0) + 1
            if world.cycle % CYCLES_PER_HISTORY == 0:
                world.begin_anew()
        seconds = time.monotonic() - begin
        print(
            f"{options.cycles} ends in {seconds:.0f} s, {world.requests} requests, "
            f"{world.confirmed} confirmed changes, {world.transactions} transactions of several "
            f"documents, {world.undone} undos and redos of a run, up to {world.merges} merges in a history, 0 lost, 0 without a part, "
            f"seed {options.seed}")
        print(", ".join(f"{count} {how}" for how, count in sorted(counts.items())))
    except Broken as broken:
        print(f"BROKEN in cycle {world.cycle} of seed {options.seed}, files in {work}:\n{broken}")
        if world.daemon and world.is_up():
            world.daemon.kill()
        sys.exit(1)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
