#!/usr/bin/env python3
"""versionctl relay against a receiver that refuses, hangs, answers half, dies and comes back, a relay
that is killed, and a daemon that restarts: every change arrives, in order, signed.

Usage: Tests/CommandLine/relay.py [--products .build/debug] [--seed N]
"""

import argparse
import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Torture"))

from check import require  # noqa: E402
from serving import serve  # noqa: E402

SECRETS = [bytes(range(32)), bytes(range(32, 64))]


class Receiver:
    """Takes webhooks, one connection at a time; `plan` says what becomes of the next ones."""

    def __init__(self, port=0):
        self.got, self.plan, self.tries = [], [], 0
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.lines = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            self.lines.append(line)
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line):
        file = line.makefile("rb")
        while file.readline():
            fields = http.client.parse_headers(file)
            body = file.read(int(fields["content-length"]))
            self.tries += 1
            fate = self.plan.pop(0) if self.plan else "200 OK"
            if fate in ("200 OK", "taken"):
                self.got.append(self.checked(fields, body))
            if fate == "hangs":
                return
            if fate in ("taken", "half"):
                if fate == "half":
                    line.sendall(b"HTTP/1.1 20")
                line.shutdown(socket.SHUT_RDWR)
                return
            line.sendall(f"HTTP/1.1 {fate}\r\nContent-Length: 0\r\n\r\n".encode())

    def checked(self, fields, body):
        """As a receiver of Standard Webhooks and CloudEvents checks it."""
        name, at = fields["webhook-id"], fields["webhook-timestamp"]
        require(abs(int(at) - time.time()) < 60, "the timestamp is old", at)
        signed = f"{name}.{at}.".encode() + body
        wanted = ["v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
                  for secret in SECRETS]
        require(fields["webhook-signature"].split() == wanted, "the signature is wrong")
        event = json.loads(body)
        require(fields["ce-id"] == name and fields["ce-specversion"] == "1.0", "no CloudEvent")
        require(fields["ce-type"] == "versiond.change" and fields["ce-subject"] == event["document"],
                "no CloudEvent")
        require(fields["content-type"] == "application/json", "no JSON")
        return name, event

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for line in self.lines:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Scene:
    def __init__(self, products, work):
        self.products, self.work = products, work
        self.daemon, self.port = serve(f"{products}/versiond", f"{work}/data")
        with open(f"{work}/secret", "w") as file:
            file.write("".join(f"whsec_{base64.b64encode(secret).decode()}\n" for secret in SECRETS))
        self.receiver = Receiver()
        self.written = []
        self.relay = None

    def start(self, *more):
        self.relay = subprocess.Popen(
            [f"{self.products}/versionctl", "relay", "--to", f"http://127.0.0.1:{self.receiver.port}/in?a=1",
             "--secret-file", f"{self.work}/secret", "--state", f"{self.work}/state.json", "--since", "0",
             "--timeout", "2", "-s", f"http://127.0.0.1:{self.port}", *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return self.relay

    def write(self, name, value):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        line.request("PUT", f"/v1/documents/{name}", json.dumps(value), {"Content-Type": "application/json"})
        answer = json.loads(line.getresponse().read())
        self.written.append((name, answer["revision"]))

    def arrived(self):
        """The received items, each once, in the order of first arrival."""
        return list(dict.fromkeys((event["document"], event["revision"]) for _, event in self.receiver.got))

    def wait(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while self.arrived() != self.written:
            require(time.monotonic() < deadline, what, "never came:", self.written[len(self.arrived()):][:5],
                    "and", len(self.arrived()), "of", len(self.written), "did")
            time.sleep(0.02)
        names = {}
        for name, event in self.receiver.got:
            key = (event["document"], event["revision"])
            require(names.setdefault(key, name) == name, "a change has two names", key)
        require(len(set(names.values())) == len(names), "two changes have one name")

    def kill(self):
        self.relay.kill()
        self.relay.wait()
        self.relay.stderr.close()


def faults(scene, randomness):
    """A receiver with each fault, then with many at random."""
    receiver = scene.receiver
    scene.start()
    scene.write("menu", {"n": 0})
    scene.wait("the first change")
    for number, fate in enumerate(["500 No", "302 There", "hangs", "half", "taken", "503 Later"]):
        receiver.plan = [fate]
        tries = receiver.tries
        for name in ("menu", "note%2Fa"):
            scene.write(name.replace("%2F", "-"), {"fate": fate, "n": number})
        scene.wait(fate)
        require(receiver.tries > tries + 2, "nothing was sent again after", fate)
    receiver.close()
    scene.write("menu", {"n": "while it is dead"})
    time.sleep(0.5)
    got = receiver.got
    scene.receiver = Receiver(receiver.port)
    scene.receiver.got = got
    scene.wait("what came while the receiver was dead")
    scene.receiver.plan = [randomness.choice(["200 OK"] * 7 + ["500 No", "taken", "half"]) for _ in range(40)]
    for number in range(30):
        scene.write(f"form-{randomness.randrange(3)}", {"n": number})
    scene.wait("a receiver with faults")
    # Each item is received once, except those that the receiver took without a response.
    scene.receiver.plan = []


def deaths(scene, randomness):
    """A relay that is killed, and a daemon that restarts, while changes arrive."""
    for _ in range(6):
        for number in range(20):
            scene.write(f"form-{randomness.randrange(3)}", {"x": randomness.random()})
        time.sleep(randomness.random() * 0.05)
        scene.kill()
        scene.start()
    scene.wait("after deaths of the relay")
    scene.daemon.kill()
    scene.daemon.wait()
    port = scene.port
    scene.daemon = subprocess.Popen(
        [f"{scene.products}/versiond", "serve", "--directory", f"{scene.work}/data", "--port", str(port)],
        stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while True:
        try:
            scene.write("menu", {"n": "after the daemon"})
            break
        except OSError:
            require(time.monotonic() < deadline, "the daemon does not start again")
            time.sleep(0.05)
    scene.wait("after the death of the daemon")


def refusals(scene):
    """Wrong settings, two relays with one state, and a receiver that wants nothing more."""
    command = [f"{scene.products}/versionctl", "relay", "--to", "http://127.0.0.1:9/", "--secret-file",
               f"{scene.work}/secret", "--state", f"{scene.work}/state.json", "-s", f"http://127.0.0.1:{scene.port}"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=30)
    require(second.returncode == 75 and "Another relay" in second.stderr, "two relays", second)
    for place, value, status, words in [
            (3, "ftp://x", 64, "not the URL"), (5, "/no/file", 4, "No such file"), (5, "/dev/null", 65, "no secret"),
            (5, f"{scene.work}/state.json", 65, "not a secret"), (7, f"{scene.work}/secret", 65, "not a valid state")]:
        wrong = command[:place] + [value] + command[place + 1:]
        result = subprocess.run(wrong, capture_output=True, text=True, timeout=30)
        require(result.returncode == status and words in result.stderr, wrong, result)
    scene.receiver.plan = ["410 Gone"]
    scene.write("menu", {"n": "not wanted"})
    try:
        scene.relay.wait(30)
    except subprocess.TimeoutExpired:
        require(False, "a receiver that is gone is asked for ever")
    require(scene.relay.returncode == 4, "410 ends with", scene.relay.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", default=os.path.join(HERE, "../../.build/debug"))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    randomness = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as work:
        scene = Scene(options.products, work)
        try:
            faults(scene, randomness)
            deaths(scene, randomness)
            refusals(scene)
            # A second life with a position of long ago: all comes again, under the names of the first time.
            names = {name for name, _ in scene.receiver.got}
            before = len(scene.receiver.got)
            os.remove(f"{work}/state.json")
            scene.start("--prefix", "form-")
            wanted = sum(name.startswith("form-") for name, _ in scene.written)
            deadline = time.monotonic() + 60
            while len(scene.receiver.got) < before + wanted:
                require(time.monotonic() < deadline, "not all of a prefix came again")
                time.sleep(0.02)
            again = scene.receiver.got[before:]
            require(all(event["document"].startswith("form-") and name in names for name, event in again),
                    "of a prefix came something else")
        finally:
            scene.kill()
            scene.daemon.kill()
        print(f"relay: {len(scene.written)} changes, {scene.receiver.tries} requests, all arrived in order")


if __name__ == "__main__":
    main()
