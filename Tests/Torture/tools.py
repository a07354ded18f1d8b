#!/usr/bin/env python3
"""Ends pack, purge, backup, restore and import before the n-th operation on the disk; for pack, purge
and import it also cuts the power.

    Tests/Torture/tools.py [--stride N] [--seed S] [--tools pack,backup,...] [--binary PATH]

The former content is still there; the result is whole or missing; and the same command, given
again, succeeds.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from check import Broken, require
from disk import Disk

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS_MAX = 3_000
# The letter in the texts of each document. That of `a` is erased.
SECRETS = {"a": "x", "b": "y"}


class Place:
    """A directory on a disk that fails: `store` is the journal, `target` what is made."""

    def __init__(self, work, binary, seed):
        self.work, self.random = work, random.Random(seed)
        self.binary = shutil.copy(binary, os.path.join(work, "versiond"))
        self.root = os.path.join(work, "disk")
        self.store, self.target = self.root + "/store", self.root + "/target"
        os.makedirs(self.root)
        self.library = os.path.join(work, "disk.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", self.library, HERE + "/disk.c", "-ldl"], check=True)
        self.disk = Disk(self.root, os.path.join(work, "records"))
        self.fill(300)
        self.full = shutil.copytree(self.store, work + "/full")
        self.lines = self.run("export", "--directory", self.store).stdout
        self.file = work + "/all.ndjson"
        with open(self.file, "w") as file:
            file.write(self.lines)

    def fill(self, count):
        daemon = subprocess.Popen(
            [self.binary, "serve", "--directory", self.store, "--port", "0"], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "VERSIOND_PACKING": "false"})
        port = int(daemon.stderr.readline().split("127.0.0.1:")[1].split()[0])
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        for number in range(count):
            name = self.random.choice("ab")
            call = ("PUT", f"/v1/documents/{name}", json.dumps({"n": number, "text": SECRETS[name] * (number % 30)}))
            if number > 9 and self.random.random() < 0.2:
                call = ("POST", f"/v1/documents/{name}/undo", "{}")
            line.request(*call, {"Content-Type": "application/json"})
            response = line.getresponse()
            response.read()
            require(response.status in (200, 201, 409), call, response.status)
        daemon.terminate()
        daemon.wait()

    def reset(self):
        shutil.rmtree(self.root)
        os.makedirs(self.root)
        shutil.copytree(self.full, self.store)
        self.disk.restart()

    def run(self, *arguments, stop=None):
        environment = dict(os.environ)
        if stop is not None:
            environment.update(
                LD_PRELOAD=self.library, DISK_ROOT=self.root, DISK_LOG=self.disk.log, DISK_FAULT=self.work + "/fault",
                DISK_CLOCK=self.work + "/clock", DISK_STOP=str(stop))
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, env=environment)

    def require_whole(self, path):
        check = self.run("check", "--directory", path)
        require(check.returncode == 0, "check finds faults:", check.stdout, check.stderr)

    def require_erased(self):
        """Nothing of the texts of `a` is in any file, and all else is there."""
        self.require_whole(self.store)
        for name in os.listdir(self.store):
            with open(os.path.join(self.store, name), "rb") as file:
                require(SECRETS["a"].encode() * 8 not in file.read(), "what was erased is in", name)
        changes = lambda text: [json.loads(line) for line in text.splitlines()[:-1]]
        lines, before = changes(self.run("export", "--directory", self.store).stdout), changes(self.lines)
        marks = lambda lines: [(line["document"], line["revision"], line["kind"]) for line in lines]
        require(marks(lines)[:len(before)] == marks(before), "changes are missing")
        require([line["kind"] for line in lines[len(before):]] == ["purge"], "it is recorded once")
        others = lambda lines: [line for line in lines if line["document"] == "b"]
        require(others(lines) == others(before), "another document has changed")

    def require_same(self, path):
        self.require_whole(path)
        require(self.run("export", "--directory", path).stdout == self.lines, path, "has other changes")


TOOLS = {
    "pack": lambda place: ["pack", "--directory", place.store],
    "purge": lambda place: ["purge", "a", "--path", "/text", "--directory", place.store],
    "backup": lambda place: ["backup", place.target, "--directory", place.store],
    "restore": lambda place: ["restore", place.store, "--directory", place.target],
    "import": lambda place: ["import", "--directory", place.target, place.file],
}


def look(place, tool, arguments, done):
    """The former content is still there, and the command succeeds when it is given again."""
    if tool == "purge":
        place.require_whole(place.store)
        if place.run("export", "--directory", place.store).stdout == place.lines or done.returncode != 0:
            again = place.run(*arguments)
            require(again.returncode == 0, "it does not work again:", again.stderr)
        return place.require_erased()
    place.require_same(place.store)
    is_there = os.path.exists(place.target)
    if tool in ("backup", "restore") and is_there:
        place.require_same(place.target)
    elif tool != "pack" or done.returncode != 0:
        again = place.run(*arguments)
        require(again.returncode == 0, "it does not work again:", again.stderr)
        place.require_same(place.store if tool == "pack" else place.target)


def run_steps(place, tool, stride):
    arguments = TOOLS[tool](place)
    for number in range(1, STEPS_MAX, stride):
        place.reset()
        done = place.run(*arguments, stop=number)
        mode = "kill"
        if tool in ("pack", "purge", "import"):
            # The disk's model knows no directories that get another name.
            place.disk.read()
            mode = place.disk.cut(place.random)
        try:
            look(place, tool, arguments, done)
        except Broken as broken:
            raise Broken(f"{tool}, ended before operation {number}, cut ({mode}): {broken}")
        if done.returncode == 0:
            print(f"{tool}: ended before {len(range(1, number, stride))} of {number - 1} steps, nothing was lost")
            return
    raise Broken(f"{tool} has more than {STEPS_MAX} steps")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/debug/versiond"))
    options = parser.parse_args()
    work = os.path.realpath(tempfile.mkdtemp())
    try:
        place = Place(work, os.path.abspath(options.binary), options.seed)
        for tool in options.tools.split(","):
            run_steps(place, tool, options.stride)
    except Broken as broken:
        print(f"BROKEN with seed {options.seed}, files in {work}:\n{broken}")
        sys.exit(1)
    shutil.rmtree(work)


main()
