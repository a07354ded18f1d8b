"""The program `versiond-memory`: a memory for agents over the Model Context Protocol.

It has the tools of `@modelcontextprotocol/server-memory`, and keeps the graph in a document.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from uuid import uuid4

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from typing_extensions import TypedDict

from .._errors import VersiondError
from .._sync.client import Client
from .graph import (
    AddedObservations, Deletion, Entity, Graph, MemoryGraph, Observations, Relation)

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DELETES = ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Entities(TypedDict):
    """The entities that were new."""

    entities: list[Entity]


class Relations(TypedDict):
    """The relations that were new."""

    relations: list[Relation]


class Results(TypedDict):
    """The observations that were new."""

    results: list[AddedObservations]


class Done(TypedDict):
    """The outcome of a deletion."""

    success: bool
    message: str


def server(graph: MemoryGraph) -> MCPServer:
    """A server with the tools over a graph."""
    made = MCPServer("versiond-memory", log_level="WARNING")
    _add_readers(made, graph)
    _add_writers(made, graph)
    _add_deleters(made, graph)
    return made


def _tool(made: MCPServer, hints: ToolAnnotations) -> Callable[[Callable[..., Any]], None]:
    """Adds a tool whose errors reach the agent in words."""
    def add(function: Callable[..., Any]) -> None:
        @wraps(function)
        def tool(*words: Any, **named: Any) -> Any:
            try:
                return function(*words, **named)
            except (ValueError, VersiondError) as error:
                raise ToolError(str(error)) from error

        made.add_tool(tool, annotations=hints)

    return add


def _add_readers(made: MCPServer, graph: MemoryGraph) -> None:
    @_tool(made, _READS)
    def read_graph() -> Graph:
        """Read the entire knowledge graph"""
        return graph.read()

    @_tool(made, _READS)
    def search_nodes(query: str) -> Graph:
        """Search for nodes by a text in their names, types and observations"""
        return graph.search(query)

    @_tool(made, _READS)
    def open_nodes(names: list[str]) -> Graph:
        """Open nodes by their names"""
        return graph.open(names)


def _add_writers(made: MCPServer, graph: MemoryGraph) -> None:
    @_tool(made, _ADDS)
    def create_entities(entities: list[Entity]) -> Entities:
        """Create new entities; those whose names exist are left as they are"""
        return {"entities": graph.create_entities(entities)}

    @_tool(made, _ADDS)
    def create_relations(relations: list[Relation]) -> Relations:
        """Create new relations between entities, in active voice"""
        return {"relations": graph.create_relations(relations)}

    @_tool(made, _ADDS)
    def add_observations(observations: list[Observations]) -> Results:
        """Add new observations to existing entities"""
        return {"results": graph.add_observations(observations)}


def _add_deleters(made: MCPServer, graph: MemoryGraph) -> None:
    @_tool(made, _DELETES)
    def delete_entities(entityNames: list[str]) -> Done:
        """Delete entities and their relations"""
        return _done("Entities", graph.delete_entities(entityNames), len(entityNames))

    @_tool(made, _DELETES)
    def delete_observations(deletions: list[Deletion]) -> Done:
        """Delete observations from entities"""
        asked = sum(len(one["observations"]) for one in deletions)
        return _done("Observations", graph.delete_observations(deletions), asked)

    @_tool(made, _DELETES)
    def delete_relations(relations: list[Relation]) -> Done:
        """Delete relations"""
        return _done("Relations", graph.delete_relations(relations), len(relations))


def _done(what: str, count: int, asked: int) -> Done:
    if count == asked:
        return {"success": True, "message": f"{what} deleted successfully"}
    return {"success": True, "message": f"Deleted {count} of {asked}; the others were not found"}


def client(environment: Mapping[str, str], token_file: str | None = None) -> Client:
    """The client that `VERSIOND_URL`, `_TOKEN`, `_ACTOR` and `_PROMPT_BY` describe.

    Each run of the program has an actor of its own, NAME/run-…, so that one undo reverts it.
    """
    def made(actor: str | None) -> Client:
        token = None if token_file else environment.get("VERSIOND_TOKEN")
        return Client(
            environment.get("VERSIOND_URL", "http://localhost:8080"), actor=actor, token=token,
            token_file=token_file, prompt_by=environment.get("VERSIOND_PROMPT_BY"))

    name = environment.get("VERSIOND_ACTOR") or made(None).whose() or "memory"
    return made(f"{name}/run-{uuid4().hex[:8]}")


def main() -> None:
    """Serves on standard input and output."""
    options = ArgumentParser(description="A memory server of the Model Context Protocol")
    options.add_argument("--document", default="memory", help="the document of the graph")
    options.add_argument("--token-file", help="a file with the token, instead of VERSIOND_TOKEN")
    chosen = options.parse_args()
    used = client(os.environ, chosen.token_file)
    actor = used.connection.actor
    print(f"versiond-memory: {actor} edits the document {chosen.document}", file=sys.stderr)
    server(MemoryGraph(used.document(chosen.document))).run()


if __name__ == "__main__":
    main()
