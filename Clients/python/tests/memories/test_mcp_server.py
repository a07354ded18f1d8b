from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from conftest import BINARY, Daemon, in_processes

from mcp.client.client import Client as Agent
from mcp.client.stdio import StdioServerParameters, stdio_client

from versiond import Client
from versiond.memories.graph import MemoryGraph
from versiond.memories.mcp_server import client, server

ADA = {"name": "Ada", "entityType": "person", "observations": ["likes soup"]}
BOB = {"name": "Bob", "entityType": "cook", "observations": ["has a list/~ of soups"]}
KNOWS = {"from": "Ada", "to": "Bob", "relationType": "knows"}


@asynccontextmanager
async def memory(url: str, **more: str) -> AsyncIterator[Any]:
    """The program, and a function that calls its tools."""
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "versiond.memories.mcp_server"],
        env={"VERSIOND_URL": url, "VERSIOND_ACTOR": "agent", **more})
    async with Agent(stdio_client(program)) as agent:
        async def call(tool: str, **arguments: Any) -> Any:
            result = await agent.call_tool(tool, arguments)
            text = result.content[0].text  # type: ignore[union-attr]
            if result.is_error:
                return text
            assert json.loads(text) == result.structured_content
            return result.structured_content

        call.agent = agent  # type: ignore[attr-defined]
        yield call


def test_each_tool_does_what_that_of_the_reference_server_does(daemon: Daemon) -> None:
    async def work() -> None:
        async with memory(daemon.url) as call:
            tools = (await call.agent.list_tools()).tools
            assert [tool.name for tool in tools] == [
                "read_graph", "search_nodes", "open_nodes", "create_entities", "create_relations",
                "add_observations", "delete_entities", "delete_observations", "delete_relations"]
            empty: dict[str, Any] = {"entities": [], "relations": []}
            assert await call("read_graph") == empty
            assert await call("create_entities", entities=[ADA, BOB]) == {"entities": [ADA, BOB]}
            assert await call("create_entities", entities=[ADA]) == {"entities": []}
            assert await call("create_relations", relations=[KNOWS, KNOWS]) == {
                "relations": [KNOWS]}
            assert await call("create_relations", relations=[KNOWS]) == {"relations": []}
            assert await call("read_graph") == {"entities": [ADA, BOB], "relations": [KNOWS]}
            assert await call("search_nodes", query="SOUPS") == {
                "entities": [BOB], "relations": [KNOWS]}
            assert await call("open_nodes", names=["Ada", "Eve"]) == {
                "entities": [ADA], "relations": [KNOWS]}
            new = [{"entityName": "Ada", "contents": ["likes soup", "is here", "is here"]}]
            assert await call("add_observations", observations=new) == {
                "results": [{"entityName": "Ada", "addedObservations": ["is here"]}]}
            assert "Eve not found" in await call("add_observations", observations=[
                {"entityName": "Eve", "contents": ["x"]}])
            assert "Eve not found" in await call(
                "create_relations", relations=[{**KNOWS, "to": "Eve"}])
            done = await call("delete_observations", deletions=[
                {"entityName": "Ada", "observations": ["likes soup"]},
                {"entityName": "Eve", "observations": ["x"]}])
            assert done["message"] == "Deleted 1 of 2; the others were not found"
            assert (await call("open_nodes", names=["Ada"]))["entities"][0]["observations"] == [
                "is here"]
            done = await call("delete_relations", relations=[KNOWS])
            assert done == {"success": True, "message": "Relations deleted successfully"}
            await call("create_relations", relations=[KNOWS])
            await call("delete_entities", entityNames=["Bob", "Eve"])
            left = await call("read_graph")
            assert [one["name"] for one in left["entities"]] == ["Ada"]
            assert left["relations"] == []

    asyncio.run(work())


def test_undo_of_a_run_keeps_what_another_learned(daemon: Daemon) -> None:
    async def work() -> None:
        async with memory(daemon.url) as one, memory(daemon.url) as other:
            await one("create_entities", entities=[ADA])
            await other("create_entities", entities=[BOB])
            await other("add_observations", observations=[
                {"entityName": "Bob", "contents": ["cooks"]}])

    asyncio.run(work())
    person = Client(daemon.url, actor="ada")
    document = person.document("memory")
    runs = [str(change.actor) for change in document.history() if change.kind == "append"]
    assert len(set(runs)) == 2 and all(run.startswith("agent/run-") for run in runs)
    assert runs[0] == runs[1] != runs[2]
    person.undo_all(actor=runs[0])
    assert MemoryGraph(document).read() == {"entities": [ADA], "relations": []}
    person.undo_all(actor=runs[2])
    assert MemoryGraph(document).read()["entities"] == []


def learn(url: str, name: str) -> None:
    graph = MemoryGraph(Client(url, actor=name).document("memory"))
    graph.create_entities([{"name": "all", "entityType": "team", "observations": []}])
    for number in range(5):
        graph.create_entities([{"name": f"{name}-{number}", "entityType": "x", "observations": []}])
        graph.create_relations([
            {"from": "all", "to": f"{name}-{number}", "relationType": "has"}])
        graph.add_observations([{"entityName": "all", "contents": [f"{name}-{number}", "same"]}])


def test_twenty_processes_lose_nothing(daemon: Daemon) -> None:
    in_processes(learn, [(daemon.url, str(name)) for name in range(20)])
    graph = MemoryGraph(Client(daemon.url).document("memory")).read()
    assert len(graph["entities"]) == 101 and len(graph["relations"]) == 100
    team = next(one for one in graph["entities"] if one["name"] == "all")
    assert sorted(team["observations"]) == sorted(
        ["same", *(f"{name}-{number}" for name in range(20) for number in range(5))])


def test_the_environment_names_daemon_actor_and_token(daemon: Daemon) -> None:
    used = client({"VERSIOND_URL": daemon.url})
    assert str(used.connection.actor).startswith("memory/run-")
    named = client({"VERSIOND_URL": daemon.url, "VERSIOND_ACTOR": "a", "VERSIOND_PROMPT_BY": "ada"})
    MemoryGraph(named.document("m")).create_entities(
        [{"name": "Ada", "entityType": "person", "observations": []}])
    newest = next(named.document("m").history())
    assert newest.prompt_by == "ada" and str(newest.actor).startswith("a/run-")
    assert server(MemoryGraph(named.document("m"))).name == "versiond-memory"


def test_a_token_of_a_file_gives_its_name_to_the_actor(tmp_path: Path) -> None:
    made = subprocess.run(
        [BINARY, "token", "create", "--file", tmp_path / "tokens", "--name", "importer",
         "--allow", "write"], check=True, capture_output=True, text=True)
    token = next(word for word in made.stdout.split() if word.startswith("vd_"))
    (tmp_path / "token").write_text(token)
    daemon = Daemon(tmp_path / "data", "--tokens", str(tmp_path / "tokens"))
    try:
        used = client({"VERSIOND_URL": daemon.url}, str(tmp_path / "token"))
        MemoryGraph(used.document("m")).create_entities(
            [{"name": "Ada", "entityType": "person", "observations": []}])
        assert str(next(used.document("m").history()).actor).startswith("importer/run-")
    finally:
        daemon.stop()
