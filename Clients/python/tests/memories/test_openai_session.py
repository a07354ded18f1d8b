from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from conftest import Daemon, in_processes

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.items import TResponseInputItem
from agents.memory import Session, SessionSettings, SQLiteSession
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from versiond import Client
from versiond.memories.openai_agents import VersiondSession


def item(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


class Echo(Model):
    """Answers with the number of items that it got."""

    async def get_response(self, *words: Any, **options: Any) -> ModelResponse:
        given = options.get("input", words[1] if len(words) > 1 else "")
        text = ResponseOutputText(
            annotations=[], text=f"{len(given)} items", type="output_text", logprobs=[])
        message = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *words: Any, **options: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
def session(daemon: Daemon) -> VersiondSession:
    return VersiondSession("chat/1~", Client(daemon.url, actor="agent/run-1"))


async def worked(session: Session) -> list[Any]:
    """The results of a session for one of each call."""
    seen: list[Any] = [await session.get_items(), await session.pop_item()]
    await session.clear_session()
    await session.add_items([])
    await session.add_items([item(str(number)) for number in range(5)])
    other = {"n": [0.1, 10**30, None], "b": {"c": "ä"}}
    await session.add_items([cast(TResponseInputItem, other)])
    for limit in (None, 2, 0, 100):
        seen.append(await session.get_items(limit))
    seen += [await session.pop_item(), await session.pop_item(), await session.get_items()]
    await session.clear_session()
    return [*seen, await session.get_items(), await session.pop_item()]


def test_it_works_as_the_session_of_the_sdk_does(session: VersiondSession) -> None:
    assert isinstance(session, Session)
    found, wanted = asyncio.run(worked(session)), asyncio.run(worked(SQLiteSession("1")))
    assert found == wanted and type(found[2][5]["n"][0]) is float


def test_a_limit_of_the_settings_holds(daemon: Daemon) -> None:
    session = VersiondSession(
        "1", Client(daemon.url), session_settings=SessionSettings(limit=2))
    asyncio.run(session.add_items([item(str(number)) for number in range(5)]))
    assert asyncio.run(session.get_items()) == [item("3"), item("4")]


def test_an_agent_remembers_and_its_undo_forgets(session: VersiondSession) -> None:
    agent = Agent("echo", model=Echo())
    config = RunConfig(tracing_disabled=True)
    for text, count in (("one", 1), ("two", 3)):
        result = Runner.run_sync(agent, text, session=session, run_config=config)
        assert result.final_output == f"{count} items"
    assert len(asyncio.run(session.get_items())) == 4
    session.document.undo_all(actor="agent/run-1", since=0)
    assert asyncio.run(session.get_items()) == []


def add(url: str, name: str) -> None:
    async def work() -> None:
        session = VersiondSession("all", Client(url))
        for number in range(5):
            await session.add_items([item(f"{name}-{number}"), item("spare")])
            await session.pop_item()

    asyncio.run(work())


def test_twenty_processes_lose_no_item(daemon: Daemon) -> None:
    in_processes(add, [(daemon.url, str(name)) for name in range(20)])
    items = asyncio.run(VersiondSession("all", Client(daemon.url)).get_items())
    # 200 were added and 100 removed, each once.
    assert len(items) == 100
