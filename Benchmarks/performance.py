#!/usr/bin/env python3
"""The whole table: versiond, a C program, PostgreSQL, Redis and etcd, and the cost of requests as work grows.

    Benchmarks/performance.py [BINARY] [--before BINARY] [--write] [--million]

Installs what is missing (Debian packages), measures for some minutes, and prints the tables. --write puts them
into Documentation/Project/Performance.md, with plots. --before adds another build, in turn in the same run. --million
adds a million documents, which takes minutes to make. Nothing else should be busy.
"""

import argparse
import datetime
import os
import platform
import resource
import statistics
import sys

import cpu
import growth
import peers
import plots
import sustained
from measuring import HERE, in_turn, limit, quiet, ratio, row, versiond

PAGE = os.path.join(HERE, "../Documentation/Project/Performance.md")
PLOTS = os.path.join(HERE, "../Documentation/Project/Performance")
REQUESTS = (("GET of a small document", cpu.get), ("PATCH, durable", cpu.patch),
            ("undo and redo by turns", cpu.undo), ("PUT of 10 KB, one leaf differs", cpu.put))
STARTS = 5


def cpu_figures(binary, before, rounds):
    """For each kind of request the figures of each server: of one start after the other, since where memory
    lies makes some processes slower."""
    figures = {name: [] for name, _ in REQUESTS}
    for start in range(STARTS):
        servers = [versiond(binary), *([versiond(before)] if before else []), limit()]
        try:
            for name, measure in REQUESTS:
                asked = servers if measure in (cpu.get, cpu.patch) else servers[:-1]
                found = in_turn(asked, rounds // STARTS, measure)
                figures[name] = [a + b for a, b in zip(figures[name], found)] if start else found
        finally:
            for server in servers:
                server.stop()
    return figures


def cpu_table(binary, before, rounds):
    """CPU of a request, compared with C and with another build."""
    lines = [row("CPU of a request", "µs", "beside C", *(["before, µs", "beside before"] if before else [])),
             "|---" * (5 if before else 3) + "|"]
    for name, figures in cpu_figures(binary, before, rounds).items():
        hasReference = len(figures) > (2 if before else 1)
        cells = [name, f"{quiet(figures[0]):.1f}", ratio(figures[0], figures[-1]) if hasReference else "-"]
        if before:
            cells += [f"{quiet(figures[1]):.1f}", ratio(figures[0], figures[1])]
        lines.append(row(*cells))
        print(lines[-1], file=sys.stderr)
    return lines


def peers_table(binary, seconds, rounds=3):
    """Durable writes a second, one server after the other, several times."""
    contestants, figures = peers.rates(peers.OverHTTP, binary, seconds, rounds)
    first = statistics.median(figures[0])
    lines = [row("durable writes in bursts, 64 clients", "a second", "versiond does"), "|---|---|---|"]
    for contestant, rates in zip(contestants, figures):
        rate = statistics.median(rates)
        lines.append(row(contestant.name, f"{rate:,.0f}", f"{first / rate:.2f} ×"))
        print(lines[-1], file=sys.stderr)
    return lines


def curves(binary, million):
    """Name, title, names of the axes, and the lines of each plot."""
    size = growth.by_size(binary)
    members = growth.by_members(binary)
    history, first = growth.by_history(binary)
    counts = (1_000, 10_000, 100_000) + ((1_000_000,) if million else ())
    documents, start = growth.by_documents(binary, counts)
    loops = growth.by_loops(binary)
    clients = growth.by_clients(binary)
    connections, held = growth.by_connections(binary)
    event, heard = growth.by_followers(binary)
    return [
        ("size", "CPU against the size of the document", "bytes", "µs a request", size),
        ("members", "CPU of a PATCH against the members of its object", "members", "µs a request", members),
        ("history", "CPU against the number of versions", "versions", "µs a request", history),
        ("opening", "The first read after a start", "versions", "ms", first),
        ("documents", "CPU against the number of documents", "documents", "µs a request", documents),
        ("start", "Starting with many documents", "documents", "ms, MB", start),
        ("loops", "CPU against the number of event loops", "loops", "µs a request", loops),
        ("clients", "Until half of the durable PATCHes are answered", "clients", "µs", clients),
        ("connections", "CPU against the number of connections", "connections", "µs a request", connections),
        ("held", "Memory of connections", "connections", "MB", held),
        ("followers", "CPU of an event that is delivered", "followers", "µs", event),
        ("heard", "Until the last follower has heard, and writes to another document meanwhile", "followers", "ms",
         heard),
    ]


def curve_table(title, x_name, lines):
    xs = [x for x, _ in next(iter(lines.values()))]
    table = [row(f"{title}: {x_name}", *(f"{x:,}" for x in xs)), "|---" * (len(xs) + 1) + "|"]
    return table + [row(name, *(f"{y:.1f}" for _, y in line)) for name, line in lines.items()]


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 30)
    return f"{os.cpu_count()} × {model or platform.machine()}, {memory} GB, Linux {platform.release()}"


def page(tables, drawn):
    head = [
        "# Performance", "",
        f"Measured {datetime.date.today()} on {machine()}, by `Benchmarks/performance.py`. Clients, servers and"
        " followers share the machine.", "",
        "**While writing goes on** (the first table, `Benchmarks/sustained.py`), a server also packs and"
        " checkpoints what it has stored: that is in its CPU, and takes turns from its clients. **Bursts** (the"
        " other tables) show what one request costs by itself.", "",
        "CPU is the kernel's account of all threads of the server, in bursts of 448 requests of 64 clients;"
        " given is the quiet value (the lowest sixth), and the median of the ratios within a round with the interval"
        " of 95 % of resamples. *C* is libmicrohttpd that answers fixed bytes, and for a PATCH stores two rows in"
        " SQLite with group commit ([`limit.c`](../Benchmarks/C/limit.c)): no JSON, no history, no checks.", ""]
    parts = ["\n".join(table) for table in tables]
    for name, title, x_name, _, lines in drawn:
        parts.append(f"![{title}](Performance/{name}.svg)\n\n" + "\n".join(curve_table(title, x_name, lines)))
    return "\n".join(head) + "\n" + "\n\n".join(parts) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("binary", nargs="?", default=os.path.join(HERE, "../.build/release/versiond"))
    options.add_argument("--before")
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--sustained", type=int, default=30, help="seconds of each turn")
    options.add_argument("--write", action="store_true")
    options.add_argument("--million", action="store_true")
    chosen = options.parse_args()
    if not os.access(chosen.binary, os.X_OK):
        sys.exit("Build the daemon first: Scripts/release --static-swift-stdlib")
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    peers.install()
    tables = [sustained.table(chosen.binary, chosen.sustained, 3),
              cpu_table(chosen.binary, chosen.before, chosen.rounds),
              peers_table(chosen.binary, chosen.seconds)]
    drawn = curves(chosen.binary, chosen.million)
    text = page(tables, drawn)
    print(text)
    if chosen.write:
        os.makedirs(PLOTS, exist_ok=True)
        for name, title, x_name, y_name, lines in drawn:
            with open(os.path.join(PLOTS, name + ".svg"), "w") as file:
                file.write(plots.chart(title, x_name, y_name, lines))
        with open(PAGE, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
