#!/usr/bin/env python3
"""versionctl mcp and POST /mcp, with the client of the Model Context Protocol's own Python library:
both ways to begin, each tool, mistakes of agents, and the undo of a whole run.

Usage: Tests/CommandLine/agents.py [--products .build/debug]; it needs the package mcp.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Torture"))

from check import require  # noqa: E402
from serving import get, serve  # noqa: E402


# In their order; the first ones only read.
TOOLS = ["list", "read", "history", "blame", "diff", "runs", "begin_run", "end_run", "create", "edit", "replace_text",
         "propose", "undo_run", "redo_run"]
READING = 6


class Agent:
    """A session of an agent, which checks how its tools answer."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        require(not result.is_error, tool, arguments, text)
        require(result.structured_content == json.loads(text), tool, "says two things")
        return result.structured_content

    async def refused(self, words, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        require(result.is_error and words in result.content[0].text, tool, arguments, result.content[0].text)


def parameters(products, port, *more, **variables):
    return StdioServerParameters(
        command=f"{products}/versionctl",
        args=["mcp", "--as", "agent-7", "-s", f"http://127.0.0.1:{port}", *more],
        env={"HOME": "/nonexistent", **variables})


def curl(port, method, path, body, *fields):
    """Requests of other actors."""
    kind = "json-patch+json" if method == "PATCH" else "json"
    command = ["curl", "-sSf", "-X", method, f"http://127.0.0.1:{port}/v1/documents/{path}", "-d", json.dumps(body)]
    for field in (f"Content-Type: application/{kind}", *fields):
        command += ["-H", field]
    subprocess.run(command, check=True, capture_output=True, timeout=20)


async def works(products, port, mode, name):
    """Reads, edits with others, looks back, and takes all back."""
    async with Client(stdio_client(parameters(products, port)), mode=mode) as client:
        agent = Agent(client)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        require(list(tools) == TOOLS, "the tools are", list(tools))
        reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
        require(reading == set(TOOLS[:READING]), "readers are", reading)
        curl(port, "PUT", name, {"dish": "soup", "price": 5, "notes": []}, "Versiond-Actor: ada")
        read = await agent.call("read", document=name)
        require(read["value"]["price"] == 5 and read["revision"] == 0, read)
        # Another actor is first, at another place and at the same.
        curl(port, "PATCH", name, [{"op": "add", "path": "/notes/0", "value": "ada"}],
             "Versiond-Actor: ada")
        patch = [{"op": "add", "path": "/notes/0", "value": "agent"}, {"op": "replace", "path": "/price", "value": 6}]
        tried = await agent.call("edit", document=name, base=0, patch=patch, dry_run=True)
        require(tried["dryRun"] and "Nothing was changed" in tried["hint"], tried)
        require((await agent.call("read", document=name))["revision"] == 1, "a dry run changed something")
        edited = await agent.call("edit", document=name, base=0, patch=patch, why="new prices")
        actor = edited["change"]["actor"]
        require(re.fullmatch("agent-7/run-[0-9a-f]{8}", actor), actor)
        require((await agent.call("runs", run=actor))["open"], "the run of the process is not open")
        read = await agent.call("read", document=name)
        require(sorted(read["value"]["notes"]) == ["ada", "agent"], "others' work is lost", read)
        curl(port, "PATCH", name, [{"op": "replace", "path": "/dish", "value": "pie"}],
             "Versiond-Actor: bob")
        dish = [{"op": "replace", "path": "/dish", "value": "cake"}]
        await agent.refused("changed the same places", "edit", document=name, base=2, patch=dish)
        await agent.call("edit", document=name, base=2, patch=dish, conflict="mine")
        await agent.call("create", document=f"{name}-made", value=[1, "two", None])
        await agent.refused("edit", "create", document=f"{name}-made", value=1)
        # The history afterwards.
        history = (await agent.call("history", document=name, actor=actor, limit=5))["versions"]
        require([version.get("label") for version in history][-1] == "new prices", history)
        require(all(version["actors"] == [actor] for version in history), history)
        blamed = await agent.call("blame", document=name, path="/price")
        require(blamed["changes"][0]["label"] == "new prices", blamed)
        changed = await agent.call("diff", document=name, **{"from": "version:0"})
        require({"op": "replace", "path": "/price", "value": 6} in changed["patch"], changed)
        require((await agent.call("read", document=name, path="/price", at="version:0"))["value"] == 5, "at")
        require(f"{name}-made" in (await agent.call("list", prefix=name))["documents"], "list")
        # A draft for people.
        for number in (7, 8):
            proposed = await agent.call("propose", document=name, patch=[
                {"op": "replace", "path": "/price", "value": number}], why="dearer")
        require(proposed["patch"] == [{"op": "replace", "path": "/price", "value": 8}], proposed)
        require((await agent.call("read", document=name, path="/price"))["value"] == 6, "it was not only proposed")
        # The whole run is undone, and nothing of other actors.
        await agent.call("undo_run", dry_run=True)
        require((await agent.call("read", document=name, path="/price"))["value"] == 6, "a dry run undid")
        await agent.call("undo_run")
        read = await agent.call("read", document=name)
        require(read["value"] == {"dish": "pie", "price": 5, "notes": ["ada"]}, "after undo", read)
        await agent.refused("deleted", "read", document=f"{name}-made")
        await agent.refused("in effect", "undo_run")
        await agent.call("redo_run")
        await agent.call("undo_run", keep={name: ["/price"]}, documents=[name, f"{name}-made"])
        read = await agent.call("read", document=name)
        require(read["value"] == {"dish": "pie", "price": 6, "notes": ["ada"]}, "what is kept", read)
        run = await agent.call("runs", run=actor)
        require(run["effect"] == "part", run)
        listed = (await agent.call("runs", prefix=name))["runs"]
        require([entry["run"] for entry in listed] == [actor], listed)
        # A second run, beside that of the process.
        other = (await agent.call("begin_run"))["run"]
        require(re.fullmatch("agent-7/run-[0-9a-f]{8}", other) and other != actor, other)
        edited = await agent.call("edit", document=name, run=other, patch=[{"op": "remove", "path": "/price"}])
        require(edited["change"]["actor"] == other, edited)
        require((await agent.call("runs", run=other))["open"], "a run that began is not open")
        require((await agent.call("end_run", run=other)) == {"run": other, "open": False}, "end_run")
        require(not (await agent.call("runs", run=other))["open"], "a run that ended is open")
        await agent.call("undo_run", run=other)
        return client.protocol_version


async def replaces(products, port):
    """Text is replaced by its words; refusals count the places."""
    async with Client(stdio_client(parameters(products, port))) as client:
        agent = Agent(client)
        curl(port, "PUT", "recipe", {"n": 1, "text": "Hot soup and hot bread, so hot", "list": ["one"]}, "Versiond-Actor: ada")
        where = {"document": "recipe", "path": "/text"}
        await agent.refused("does not occur", "replace_text", **where, old="cold", new="x")
        await agent.refused("copy old exactly", "replace_text", **where, old="hot  bread", new="x")
        await agent.refused("occurs 2 times", "replace_text", **where, old="hot", new="x")
        await agent.refused("so that old occurs once", "replace_text", **where, old="hot", new="x")
        await agent.refused("old must not be empty", "replace_text", **where, old="", new="x")
        await agent.refused("path is missing", "replace_text", document="recipe", old="hot", new="x")
        await agent.refused("requires a string", "replace_text", document="recipe", path="/n", old="1", new="2")
        await agent.refused("does not exist", "replace_text", document="recipe", path="/m", old="1", new="2")
        await agent.refused("Did you mean recipe", "replace_text", document="recipes", path="/text", old="1", new="2")
        tried = await agent.call("replace_text", **where, old="hot bread", new="bread", dry_run=True)
        require(tried["dryRun"], tried)
        require(get(port, "/v1/documents/recipe/status")["revision"] == 0, "a refusal changed something")
        # Another actor writes before it, and in the same words.
        curl(port, "PATCH", "recipe", [{"op": "str_ins", "path": "/text", "pos": 30, "str": ", hot bread"}], "Versiond-Actor: ada")
        await agent.call("replace_text", **where, old="hot bread", new="warm bread", base=0, why="too hot")
        read = await agent.call("read", document="recipe", path="/text")
        require(read["value"] == "Hot soup and warm bread, so hot, hot bread", read)
        curl(port, "PATCH", "recipe", [{"op": "str_ins", "path": "/text", "pos": 14, "str": "x"}], "Versiond-Actor: ada")
        await agent.refused("repeat the edit", "replace_text", **where, old="warm bread", new="dry bread", base=2)
        await agent.call("replace_text", document="recipe", path="/list/0", old="one", new="")
        require((await agent.call("read", document="recipe", path="/list/0"))["value"] == "", "not replaced")


async def mistakes(products, port):
    """Mistakes of agents: each refusal says how to continue, and changes nothing."""
    async with Client(stdio_client(parameters(products, port))) as client:
        agent = Agent(client)
        curl(port, "PUT", "form", {"n": 1})
        await agent.refused("Did you mean form", "read", document="forn")
        await agent.refused("no argument dryRun", "edit", document="form", patch=[], dryRun=True)
        await agent.refused("document is missing", "edit", patch=[])
        await agent.refused("must be a JSON Patch", "edit", document="form", patch={"n": 2})
        await agent.refused("must be one of reject", "edit", document="form", patch=[], conflict="always")
        await agent.refused("/m", "edit", document="form", patch=[{"op": "replace", "path": "/m", "value": 2}])
        await agent.refused("not a JSON Pointer", "read", document="form", path="/~2")
        await agent.refused("not a state", "read", document="form", at="yesterday")
        await agent.refused("does not exist", "read", document="form", at="version:9")
        require(get(port, "/v1/documents/form/status")["revision"] == 0, "a mistake changed something")
        try:
            await client.call_tool("drop_table", {})
            require(False, "there is a tool drop_table")
        except MCPError as error:
            require(error.error.code == -32602, error)


async def proposes(products, work):
    """A token that may only propose."""
    made = subprocess.run(
        [f"{products}/versiond", "token", "create", "--file", f"{work}/tokens", "--name", "agent-7", "--allow", "propose"],
        check=True, capture_output=True, text=True)
    token = re.search(r"vd_\S+", made.stdout).group(0)
    made = subprocess.run(
        [f"{products}/versiond", "token", "create", "--file", f"{work}/tokens", "--name", "ada", "--allow", "write"],
        check=True, capture_output=True, text=True)
    ada = re.search(r"vd_\S+", made.stdout).group(0)
    process = subprocess.Popen(
        [f"{products}/versiond", "serve", "--directory", f"{work}/second", "--port", "0", "--tokens", f"{work}/tokens"],
        stderr=subprocess.PIPE, text=True)
    try:
        text = ""
        while " listens on " not in text:
            text = process.stderr.readline()
        port = int(re.search(r"127\.0\.0\.1:(\d+)", text).group(1))
        curl(port, "PUT", "menu", {"n": 1}, f"Authorization: Bearer {ada}")
        given = parameters(products, port, VERSIOND_TOKEN=token)
        given.args.remove("--as")
        given.args.remove("agent-7")
        async with Client(stdio_client(given)) as client:
            agent = Agent(client)
            patch = [{"op": "replace", "path": "/n", "value": 2}]
            await agent.refused("requires the right", "edit", document="menu", patch=patch)
            proposed = await agent.call("propose", document="menu", patch=patch)
            require(proposed["draft"].startswith("menu~agent-7/run-"), proposed)
            require((await agent.call("read", document="menu"))["value"] == {"n": 1}, "it wrote")
            # The run made the draft, so its undo deletes it.
            await agent.call("undo_run")
            await agent.refused("deleted", "read", document=proposed["draft"])
            await agent.call("redo_run")
            require((await agent.call("read", document=proposed["draft"]))["value"] == {"n": 2}, "redo of a draft")
        await proposes_remotely(port, token)
    finally:
        process.kill()


def remote(port, **fields):
    """The transport of POST /mcp, with header fields."""
    client = httpx2.AsyncClient(headers={name.replace("_", "-"): value for name, value in fields.items()}, timeout=20)
    return streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=client)


async def works_remotely(port, mode, name):
    """The same tools over HTTP. A run is named by an argument or, for older clients, by the session."""
    async with Client(remote(port, Versiond_Actor="agent-8", Versiond_Prompt_By="ada"), mode=mode) as client:
        agent = Agent(client)
        tools = (await client.list_tools()).tools
        require([tool.name for tool in tools] == TOOLS, "the tools are", tools)
        curl(port, "PUT", name, {"dish": "soup", "price": 5}, "Versiond-Actor: ada")
        patch = [{"op": "replace", "path": "/price", "value": 6}]
        run = {"run": (await agent.call("begin_run"))["run"]}
        require(re.fullmatch("agent-8/run-[0-9a-f]{8}", run["run"]), run)
        if mode == "auto":
            await agent.refused("begin_run", "edit", document=name, patch=patch)
        else:
            own = (await agent.call("edit", document=name, patch=patch, dry_run=True))["change"]["actor"]
            require(re.fullmatch("agent-8/run-[0-9a-f]{16}", own), own)
        edited = await agent.call("edit", document=name, base=0, patch=patch, why="dearer", **run)
        require(edited["change"]["actor"] == run["run"] and edited["change"]["promptBy"] == "ada", edited)
        await agent.call("replace_text", document=name, path="/dish", old="soup", new="stew", **run)
        await agent.refused("does not occur", "replace_text", document=name, path="/dish", old="soup", new="x", **run)
        await agent.call("create", document=f"{name}/made", value=[1, [2]], **run)
        await agent.refused("use edit", "create", document=f"{name}/made", value=1, **run)
        read = await agent.call("read", document=name)
        require(read["value"] == {"dish": "stew", "price": 6} and read["revision"] == 2, read)
        await agent.refused("Did you mean", "read", document=name + "x")
        await agent.refused("not a state", "read", document=name, at="yesterday")
        require((await agent.call("read", document=name, at="version:0"))["value"]["price"] == 5, "at")
        require(len((await agent.call("history", document=name))["versions"]) == 3, "history")
        require((await agent.call("blame", document=name, path="/price"))["changes"][0]["label"] == "dearer", "blame")
        require((await agent.call("diff", document=name, **{"from": "0"}))["patch"], "diff")
        require(set((await agent.call("list", prefix=name))["documents"]) == {name, f"{name}/made"}, "list")
        proposed = await agent.call("propose", document=name, patch=[{"op": "remove", "path": "/dish"}], **run)
        require(proposed["draft"] == f"{name}~{run['run']}", proposed)
        listed = (await agent.call("runs", prefix=name))["runs"]
        require([entry["run"] for entry in listed] == [run["run"]] and listed[0]["requesters"] == ["ada"], listed)
        await agent.call("undo_run", keep={name: ["/price"]}, **run)
        require((await agent.call("read", document=name))["value"] == {"dish": "soup", "price": 6}, "after undo")
        await agent.refused("deleted", "read", document=f"{name}/made")
        await agent.call("redo_run", **run)
        require((await agent.call("read", document=name))["value"] == {"dish": "stew", "price": 6}, "after redo")
        return client.protocol_version


async def work_together(port):
    """Three agents edit one document at once; each undoes its own run."""
    curl(port, "PUT", "shared", {"list": []}, "Versiond-Actor: ada")
    names = [f"agent-{number}/run-1" for number in range(3)]

    async def edits(name):
        async with Client(remote(port, Versiond_Actor=name)) as client:
            agent = Agent(client)
            for number in range(20):
                base = (await agent.call("read", document="shared"))["revision"]
                await agent.call("edit", document="shared", base=base, patch=[
                    {"op": "add", "path": "/list/-", "value": {"by": name, "n": number}}])

    async def undoes(name):
        async with Client(remote(port, Versiond_Actor=name)) as client:
            await Agent(client).call("undo_run")

    await asyncio.gather(*map(edits, names))
    entries = get(port, "/v1/documents/shared")["list"]
    for name in names:
        require([entry["n"] for entry in entries if entry["by"] == name] == list(range(20)), name, entries)
    await asyncio.gather(*map(undoes, names[:2]))
    entries = get(port, "/v1/documents/shared")["list"]
    require([entry["by"] for entry in entries] == names[2:] * 20, entries)


async def proposes_remotely(port, token):
    """The rights of a token decide what its tools do; only those that it may use are listed."""
    async with Client(remote(port, Authorization=f"Bearer {token}")) as client:
        agent = Agent(client)
        run = {"run": (await agent.call("begin_run"))["run"]}
        require(run["run"].startswith("agent-7/run-"), run)
        patch = [{"op": "replace", "path": "/n", "value": 3}]
        await agent.refused("requires the right", "edit", document="menu", patch=patch, **run)
        await agent.refused("may not act as", "propose", document="menu", patch=patch, run="ada/run-1")
        proposed = await agent.call("propose", document="menu", patch=patch, **run)
        require(proposed["patch"] == patch, proposed)


async def without_daemon(products, work):
    """The daemon is not there yet, then it is, and then it is away."""
    async with Client(stdio_client(parameters(products, 9))) as client:
        await Agent(client).refused("No daemon is reachable", "list")
        require(len((await client.list_tools()).tools) == len(TOOLS), "without a daemon there are no tools")
    daemon, port = serve(f"{products}/versiond", f"{work}/third")
    async with Client(stdio_client(parameters(products, port))) as client:
        await Agent(client).call("create", document="menu", value=1)
        daemon.kill()
        daemon.wait()
        await Agent(client).refused("No daemon is reachable", "read", document="menu")


async def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", default=os.path.join(HERE, "../../.build/debug"))
    products = os.path.abspath(parser.parse_args().products)
    with tempfile.TemporaryDirectory() as work:
        daemon, port = serve(f"{products}/versiond", f"{work}/first")
        try:
            async with asyncio.timeout(120):
                spoken = [await works(products, port, mode, f"menu-{mode}") for mode in ("auto", "legacy")]
                spoken += [await works_remotely(port, mode, f"remote-{mode}") for mode in ("auto", "legacy")]
                await work_together(port)
                await replaces(products, port)
                await mistakes(products, port)
                await proposes(products, work)
                await without_daemon(products, work)
        finally:
            daemon.kill()
    print("agents: spoke versions", ", ".join(spoken), "of the protocol")


if __name__ == "__main__":
    asyncio.run(main())
