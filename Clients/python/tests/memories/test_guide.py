from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path

from conftest import ROOT, Daemon
from mcp.client.client import Client as Agent
from mcp.client.stdio import StdioServerParameters, stdio_client

GUIDE = Path(os.environ.get("GUIDE", ROOT / "Documentation/Guide"))


def parts(language: str) -> list[str]:
    text = (GUIDE / "AgentMemories.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def test_each_part_of_the_guide_runs_after_those_before_it(daemon: Daemon) -> None:
    known: dict[str, object] = {}
    for part in parts("python"):
        exec(part.replace("http://localhost:8080", daemon.url), known)
    assert len(parts("python")) == 3


def test_the_settings_of_a_host_start_the_memory_server(daemon: Daemon) -> None:
    [text] = parts("json")
    settings = json.loads(text.replace("http://localhost:8080", daemon.url))
    memory = settings["mcpServers"]["memory"]
    program = Path(sys.executable).parent / memory["command"]

    async def tools() -> int:
        server = StdioServerParameters(command=str(program), args=memory["args"], env=memory["env"])
        async with Agent(stdio_client(server)) as agent:
            return len((await agent.list_tools()).tools)

    assert asyncio.run(tools()) == 9
