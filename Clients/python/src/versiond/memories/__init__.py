"""Memories of agents in documents, each for a framework that its extra installs.

- `versiond.memories.langgraph` (`versiond[langgraph]`): `VersiondSaver` and `VersiondStore`;
- `versiond.memories.openai_agents` (`versiond[openai-agents]`): `VersiondSession`;
- `versiond.memories.mcp_server` (`versiond[mcp]`): the program `versiond-memory`.
"""
