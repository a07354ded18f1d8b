#!/usr/bin/env python3
"""CPU time per request of versiond compared with a minimal C program, and of builds in turn.

    Benchmarks/cpu.py BINARY [BINARY...] [--rounds N]

Each build after the first is compared with the first; the first with the C program (C/limit.c).
The same binary twice shows the noise.
"""

import argparse

from measuring import DOCUMENT, MERGE, in_turn, interval, limit, quiet, versiond

BURST = 448
LARGE = '{"n":#,"lines":[%s]}' % ",".join('{"name":"line %d","count":7}' % at for at in range(320))


def get(server):
    return server.cpu(BURST, "GET", DOCUMENT)


def patch(server):
    return server.cpu(BURST, "PATCH", DOCUMENT, '{"n":#}', MERGE)


def undo(server):
    """Undo and redo by turns: the history grows only by their own entries."""
    half = BURST // 2
    undone = server.cpu(half, "POST", DOCUMENT + "/undo")
    return (undone + server.cpu(half, "POST", DOCUMENT + "/redo")) / 2


def put(server):
    return server.cpu(BURST // 4, "PUT", DOCUMENT + "-large", LARGE)


def compare(servers, name, measure, rounds):
    figures = in_turn(servers, rounds, measure)
    cells = [f"{name:<6} {servers[0].name}: {quiet(figures[0]):.1f} us quiet"]
    for at in range(1, len(servers)):
        first, second = (0, at) if servers[at].name != "C" else (at, 0)
        ratios = [b / a for a, b in zip(figures[first], figures[second])]
        middle, low, high = interval(ratios)
        cells.append(f"{servers[second].name} / {servers[first].name} {middle:.3f} "
                     f"[{low:.3f} {high:.3f}], quiet {quiet(figures[at]):.1f}")
    print("; ".join(cells), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binaries", nargs="+")
    options.add_argument("--rounds", type=int, default=40)
    chosen = options.parse_args()
    names = "ABCDEFGH".replace("C", "")
    servers = [versiond(binary, names[at]) for at, binary in enumerate(chosen.binaries)]
    reference = limit()
    try:
        compare(servers + [reference], "GET", get, chosen.rounds)
        compare(servers + [reference], "PATCH", patch, chosen.rounds)
        compare(servers, "undo", undo, chosen.rounds)
        compare(servers, "PUT", put, chosen.rounds)
    finally:
        for server in servers + [reference]:
            server.stop()


if __name__ == "__main__":
    main()
