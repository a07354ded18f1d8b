#!/usr/bin/env python3
"""A chat of LangGraph with VersiondSaver, with SqliteSaver on a file, and with the saver in memory.

    Benchmarks/memories.py [path of versiond] [--turns N]

Needs a release build, and `pip install './Clients/python[langgraph]' langgraph-checkpoint-sqlite`.
The three take turns in one run. A turn is a question of 200 letters and an answer of 500: one node,
three checkpoints. The whole chat is in each state. Prints of the last tenth of the turns the time,
and the CPU time of this process and of the daemon; of all turns the bytes on the disk.
"""
import argparse
import collections
import os
import random
import shutil
import sqlite3
import statistics
import tempfile
import time

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from measuring import Server
from versiond import Client
from versiond.memories.langgraph import VersiondSaver

CONFIG = {"configurable": {"thread_id": "chat"}}


def text(length):
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz     ", k=length))


def chat(saver):
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda state: {"messages": [AIMessage(text(500))]})
    graph.add_edge(START, "answer")
    return graph.compile(checkpointer=saver)


def counted(client):
    """The numbers of calls that a client makes."""
    calls, send = collections.Counter(), client.connection.http.request

    def request(method, *words, **named):
        calls[method] += 1
        return send(method, *words, **named)

    client.connection.http.request = request
    return calls


def size(directory):
    """The bytes of a journal, without the file that the daemon keeps in reserve."""
    return sum(file.stat().st_size for file in os.scandir(directory) if file.name != "reserve")


def measured(graph, server):
    """Milliseconds of one turn: of the clock, of this process, of the daemon."""
    began, used, run = time.perf_counter(), time.process_time(), server.run_time()
    graph.invoke({"messages": [HumanMessage(text(200))]}, CONFIG)
    return [1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used),
            (server.run_time() - run) / 1e6]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("binary", nargs="?", default=".build/release/versiond")
    options.add_argument("--turns", type=int, default=200)
    chosen = options.parse_args()
    server = Server(lambda at: [
        os.path.abspath(chosen.binary), "serve", "--port", str(at.port), "--directory",
        at.directory, "--log-level", "error"], "versiond")
    place = tempfile.mkdtemp(prefix="versiond-memories-")
    file = sqlite3.connect(os.path.join(place, "chat.sqlite"), check_same_thread=False)
    client = Client(f"http://127.0.0.1:{server.port}", actor="agent/run-1")
    calls = counted(client)
    graphs = {"versiond": chat(VersiondSaver(client)), "SqliteSaver": chat(SqliteSaver(file)),
              "in memory": chat(InMemorySaver())}
    figures = {name: [] for name in graphs}
    for _ in range(chosen.turns):
        for name in random.sample(list(graphs), len(graphs)):
            figures[name].append(measured(graphs[name], server))
    client.connection.http.close()
    server.end()
    file.commit()
    file.close()
    sizes = {"versiond": size(server.directory), "SqliteSaver": size(place), "in memory": 0}
    for name, turns in figures.items():
        clock, here, daemon = (
            statistics.median(column) for column in zip(*turns[-max(1, chosen.turns // 10):]))
        print(f"{name:<12} {clock:7.1f} ms a turn, CPU {here:6.1f} ms and of the daemon "
              f"{daemon:5.1f} ms; {sizes[name] / 1e6:6.2f} MB")
    print(f"versiond: {sum(calls.values()) / chosen.turns:.1f} calls a turn")
    shutil.rmtree(place)
    shutil.rmtree(server.directory)


if __name__ == "__main__":
    main()
