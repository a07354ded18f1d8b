"""Checkpoints and long-term memory of LangGraph.

    from versiond import Client
    from versiond.memories.langgraph import VersiondSaver, VersiondStore

    client = Client("http://localhost:8080", actor="agent/run-17")
    graph = builder.compile(checkpointer=VersiondSaver(client), store=VersiondStore(client))
"""

from .saver import VersiondSaver
from .store import VersiondStore

__all__ = ["VersiondSaver", "VersiondStore"]
