#!/usr/bin/env python3
"""CPU of a PATCH of a document with a schema of 100 keywords, compared with one without.

    Benchmarks/schemas.py [path of versiond] [--rounds N]

Needs a release build and nothing else. All take turns in one run on one daemon.
"""
import argparse
import json
import os
import random

from measuring import DOCUMENT, MERGE, TEXT, Server, interval, quiet

BURST = 448


def schema(keywords=100):
    """An object of members with a type and a bound each, arrays of objects, names and patterns."""
    properties = {}
    for at in range(keywords // 4):
        properties[f"m{at}"] = {"type": "integer", "minimum": 0, "maximum": 1000000}
    properties["items"] = {"type": "array", "items": {"type": "object", "required": ["id"],
                           "properties": {"id": {"type": "string", "pattern": "^[a-z0-9]+$"}}}}
    return {"type": "object", "required": ["m0"], "properties": properties,
            "propertyNames": {"maxLength": 20}, "additionalProperties": {"type": "number"}}


def value(items):
    small = {f"m{at}": at for at in range(25)}
    return {**small, "items": [{"id": f"i{at}", "n": at} for at in range(items)]}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary", nargs="?", default=".build/release/versiond")
    options.add_argument("--rounds", type=int, default=40)
    chosen = options.parse_args()
    binary = os.path.abspath(chosen.binary)
    server = Server(lambda at: [
        binary, "serve", "--port", str(at.port), "--directory", at.directory, "--log-level",
        "error"], "versiond")
    for items in (10, 1_000):
        kinds = {"without": f"plain{items}", "with": f"guarded{items}"}
        for kind, name in kinds.items():
            path = DOCUMENT.rsplit("/", 1)[0] + "/" + name
            server.burst(1, "PUT", path, json.dumps(value(items)), connections=1)
            if kind == "with":
                server.burst(1, "PATCH", path + "/settings", json.dumps({"schema": schema()}),
                             MERGE, connections=1)
            kinds[kind] = path
        for what, body in (("a member", '{"m7":#}'), ("a new member", '{"x#":1}')):
            figures = {kind: [] for kind in kinds}
            for _ in range(chosen.rounds):
                for kind in random.sample(list(kinds), len(kinds)):
                    figures[kind].append(server.cpu(BURST, "PATCH", kinds[kind], body, MERGE))
            middle, low, high = interval(
                [b / a for a, b in zip(figures["without"], figures["with"])])
            print(f"{items} elements, {what}: without {quiet(figures['without']):.1f} us, with "
                  f"{quiet(figures['with']):.1f} us; {middle:.3f} [{low:.3f} {high:.3f}]",
                  flush=True)
    server.stop()


main()
