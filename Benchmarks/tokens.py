#!/usr/bin/env python3
"""CPU of GET and PATCH with a token that an application signed, compared with one of the file.

    Benchmarks/tokens.py [path of versiond] [--rounds N]

Needs a release build, openssl and nothing else. Both take turns in one run on one daemon.
"""
import argparse
import base64
import hashlib
import hmac
import json
import os
import random
import subprocess
import tempfile
import time

from measuring import DOCUMENT, MERGE, TEXT, Server, interval, quiet

BURST = 448
SECRET = b"a secret of thirty-two bytes, or so"


def letters(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(user):
    now = int(time.time())
    claims = {"iss": "shop", "sub": user, "iat": now, "exp": now + 3600, "jti": "7f3c9a",
              "versiond": {"allow": ["read", "write"], "prefix": ""}}
    text = ".".join(letters(json.dumps(part).encode()) for part in ({"alg": "HS256"}, claims))
    return text + "." + letters(hmac.digest(SECRET, text.encode(), hashlib.sha256))


def daemon(binary):
    directory = tempfile.mkdtemp(prefix="versiond-tokens-")
    tokens, key = os.path.join(directory, "tokens.json"), os.path.join(directory, "key")
    with open(key, "wb") as file:
        file.write(SECRET)

    def token(*arguments):
        command = [binary, "token", *arguments, "--file", tokens]
        return subprocess.run(command, check=True, text=True, capture_output=True).stdout.strip()

    opaque = token("create", "--name", "ada")
    token("issuer", "add", "--name", "shop", "--algorithm", "HS256", "--key", key)
    return opaque, Server(lambda at: [
        binary, "serve", "--port", str(at.port), "--directory", at.directory, "--log-level",
        "error", "--tokens", tokens], "versiond")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary", nargs="?", default=".build/release/versiond")
    options.add_argument("--rounds", type=int, default=40)
    chosen = options.parse_args()
    opaque, server = daemon(os.path.abspath(chosen.binary))
    kinds = {"file": opaque, "signed": signed("ada")}
    server.burst(1, "PUT", DOCUMENT, TEXT, connections=1, token=opaque)
    calls = {"GET": ("",), "PATCH": ('{"n":#}', MERGE)}
    for method, body in calls.items():
        figures = {kind: [] for kind in kinds}
        for _ in range(chosen.rounds):
            for kind in random.sample(list(kinds), len(kinds)):
                figures[kind].append(
                    server.cpu(BURST, method, DOCUMENT, *body, token=kinds[kind]))
        ratios = [b / a for a, b in zip(figures["file"], figures["signed"])]
        middle, low, high = interval(ratios)
        print(f"{method:<6} of the file {quiet(figures['file']):.1f} us, signed "
              f"{quiet(figures['signed']):.1f} us; signed / of the file {middle:.3f} "
              f"[{low:.3f} {high:.3f}]", flush=True)
    # New tokens: each also needs the check of a signature.
    fresh = [signed(f"user-{at}") for at in range(200)]
    first, again = [], []
    for token in fresh:
        first.append(server.cpu(1, "GET", DOCUMENT, connections=1, token=token))
        again.append(server.cpu(1, "GET", DOCUMENT, connections=1, token=token))
        server.bursts.popitem()[1].kill()
    print(f"a token that is new {quiet(first):.1f} us, again {quiet(again):.1f} us")
    server.stop()


main()
