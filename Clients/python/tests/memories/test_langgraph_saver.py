from __future__ import annotations

import asyncio
import copy
import subprocess
import threading
import uuid
from collections.abc import AsyncIterator
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from conftest import BINARY, Daemon, in_processes

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from versiond import Client, Conflict, Denied, Unavailable
from versiond.memories.langgraph import VersiondSaver
from versiond.memories.langgraph.values import Values


def thread(name: str = "t", **more: str) -> RunnableConfig:
    return {"configurable": {"thread_id": name, "checkpoint_ns": "", **more}}


def chat(saver: VersiondSaver, node: Any = None) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("chat", node or (lambda state: {"messages": [AIMessage("hello")]}))
    graph.add_edge(START, "chat")
    return graph.compile(checkpointer=saver)


def texts(state: Any) -> list[str]:
    return [message.content for message in state["messages"]]


def said(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def put(saver: VersiondSaver, config: RunnableConfig, **values: Any) -> RunnableConfig:
    checkpoint = {**empty_checkpoint(), "channel_values": values}
    return saver.put(config, checkpoint, {"source": "loop", "step": 0}, {})  # type: ignore


@pytest.fixture
def saver(daemon: Daemon) -> VersiondSaver:
    return VersiondSaver(Client(daemon.url, actor="agent/run-1"))


def test_all_cases_of_the_conformance_suite_pass(daemon: Daemon) -> None:
    @checkpointer_test(name="VersiondSaver")
    async def factory() -> AsyncIterator[VersiondSaver]:
        with Client(daemon.url, actor="agent") as client:
            yield VersiondSaver(client)

    report = asyncio.run(validate(factory))
    results = report.results.values()
    assert [one.failures for one in results] == [[]] * 8
    assert sum(one.tests_passed for one in results) == 81


def test_a_chat_continues_in_another_process_with_await_and_from_an_earlier_state(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    graph = chat(saver)
    graph.invoke(said("one"), thread())
    again = chat(VersiondSaver(Client(daemon.url)))
    # Each asyncio.run has a loop of its own.
    for text in ("two", "three"):
        state = asyncio.run(again.ainvoke(said(text), thread()))
    assert texts(state) == ["one", "hello", "two", "hello", "three", "hello"]
    states = list(graph.get_state_history(thread()))
    assert len(states) == 9 and [one.metadata["step"] for one in states] == list(range(7, -2, -1))
    early = next(one for one in states if len(one.values["messages"]) == 2)
    assert texts(graph.invoke(said("other"), early.config)) == ["one", "hello", "other", "hello"]
    assert len(texts(graph.get_state(states[0].config).values)) == 6


def test_an_interrupted_graph_with_a_subgraph_is_resumed(saver: VersiondSaver) -> None:
    def ask(state: Any) -> Any:
        return {"messages": [AIMessage(f"you said {interrupt('sure?')}")]}

    inner = StateGraph(MessagesState)
    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")
    graph = chat(saver, inner.compile())
    assert graph.invoke(said("go"), thread())["__interrupt__"][0].value == "sure?"
    assert texts(graph.invoke(Command(resume="yes"), thread()))[-1] == "you said yes"
    found = {one.config["configurable"]["checkpoint_ns"].split(":")[0]
             for one in saver.list({"configurable": {"thread_id": "t"}})}
    assert found == {"", "chat"}


def test_a_daemon_that_restarts_within_a_node_is_waited_for(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    def node(state: Any) -> Any:
        daemon.kill()
        back = threading.Timer(0.3, daemon.start)
        back.start()
        return {"messages": [AIMessage("back")]}

    assert texts(chat(saver, node).invoke(said("hi"), thread())) == ["hi", "back"]
    assert texts(chat(saver).get_state(thread()).values) == ["hi", "back"]


def test_without_a_daemon_a_graph_fails_and_says_so(daemon: Daemon) -> None:
    daemon.kill()
    graph = chat(VersiondSaver(Client(daemon.url, patience=0.1)))
    with pytest.raises(Unavailable):
        graph.invoke(said("hi"), thread())
    daemon.start()


def test_a_token_that_may_not_write_reads_only(tmp_path: Path) -> None:
    def token(name: str, right: str) -> str:
        made = subprocess.run(
            [BINARY, "token", "create", "--file", tmp_path / "tokens", "--name", name,
             "--allow", right], check=True, capture_output=True, text=True)
        return next(word for word in made.stdout.split() if word.startswith("vd_"))

    tokens = token("agent", "write"), token("viewer", "read")
    daemon = Daemon(tmp_path / "data", "--tokens", str(tmp_path / "tokens"))
    try:
        agent, viewer = (VersiondSaver(Client(daemon.url, token=one)) for one in tokens)
        chat(agent).invoke(said("hi"), thread())
        assert texts(chat(viewer).get_state(thread()).values) == ["hi", "hello"]
        with pytest.raises(Denied):
            chat(viewer).invoke(said("again"), thread())
        with pytest.raises(Denied):
            agent.delete_thread("t")
        agent.prune(["t"])
        assert len(list(agent.list(thread()))) == 1
    finally:
        daemon.stop()


def test_two_graphs_on_one_thread_keep_the_checkpoints_of_both(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    graphs = [chat(saver), chat(VersiondSaver(Client(daemon.url)))]
    runs = [threading.Thread(target=lambda graph=graph: [
        graph.invoke(said(str(turn)), thread()) for turn in range(10)]) for graph in graphs]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    found = list(saver.list(thread()))
    assert len(found) == 60
    for one in found:
        kept = saver.get_tuple(one.config)
        assert kept is not None and kept.checkpoint == one.checkpoint


class Point(BaseModel):
    x: int
    tags: set[str]


VALUES: list[Any] = [
    None, True, 0, -1, 2**63, 10**500, 10**2000, 1.5, 1e300, -0.0, float("inf"), b"\x00\xff",
    Decimal("1.10"), Decimal("1234567890.12345678901234567890"), Decimal("NaN"), "ä\u2028\x00",
    datetime(2026, 1, 31, tzinfo=timezone.utc), uuid.UUID(int=1), {1: 2**70}, {"$typed": b"x"},
    {"$message": 1}, {"a": {"b": None, "$c": [1.0, {"d": b"x"}]}}, {1, 2}, Point(x=1, tags={"a"}),
    [HumanMessage("q", id="1"), AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1.5},
     "id": "c"}], usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
     ToolMessage("r", tool_call_id="c", artifact={"rows": [b"\x01"]}), SystemMessage([{"type":
     "text", "text": "s"}], additional_kwargs={"$x": 1})],
]


@pytest.mark.parametrize("position", range(len(VALUES)))
def test_each_value_returns_as_it_was(saver: VersiondSaver, position: int) -> None:
    value = VALUES[position]
    config = put(saver, thread(), value=value, more=[value])
    saver.put_writes(config, [("value", value)], "task")
    found = saver.get_tuple(config)
    assert found is not None and found.pending_writes is not None
    channels = found.checkpoint["channel_values"]
    for kept in (channels["value"], channels["more"][0], found.pending_writes[0][2]):
        assert type(kept) is type(value)
        assert kept == value or str(kept) == str(value) == "NaN"
        assert str(kept) == str(value)


def test_nan_deep_values_and_changed_types_return_as_they_were(saver: VersiondSaver) -> None:
    deep: Any = "end"
    for _ in range(300):
        deep = [deep]
    config = put(saver, thread(), nan=float("nan"), deep=deep, number=1, flag=1)
    config = put(saver, config, nan=float("nan"), deep=deep, number=1.0, flag=True)
    values = saver.get_tuple(config).checkpoint["channel_values"]  # type: ignore[union-attr]
    assert values["nan"] != values["nan"] and values["deep"] == deep
    assert type(values["number"]) is float and values["flag"] is True


def test_a_saver_sends_differences_and_stores_whole_checkpoints(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    other = VersiondSaver(Client(daemon.url))
    checkpoint: Any = {**empty_checkpoint(), "channel_values": {"log": [], "a": 1, "b": 2}}
    config = thread()
    found: list[Any] = []
    for number in range(12):
        # As LangGraph does: the versions are changed in place, and the values replaced.
        if number % 4 == 3:
            config = thread(checkpoint_ns="")
            checkpoint = saver.get_tuple(config).checkpoint  # type: ignore[union-attr]
            config["configurable"]["checkpoint_id"] = checkpoint["id"]
        values = checkpoint["channel_values"]
        checkpoint = {**checkpoint, "id": str(uuid.uuid1()), "ts": str(number)}
        checkpoint["channel_versions"]["log"] = checkpoint["channel_versions"]["a"] = number
        log = values["log"][1:] if number % 5 == 4 else [*values["log"], {"number": number}]
        checkpoint["channel_values"] = {**values, "log": log, "a": [True, 1, 1.0, None][number % 4]}
        if number == 6:
            del checkpoint["channel_values"]["b"]
        # Each of two savers, and a fork.
        parent = found[2][0] if number == 9 else config
        config = (saver, other)[number % 3 == 2].put(parent, checkpoint, {}, {})
        found.append((config, copy.deepcopy(checkpoint)))
    for config, checkpoint in found:
        kept = saver.get_tuple(config)
        assert kept is not None and repr(normal(kept.checkpoint)) == repr(normal(checkpoint))


def normal(checkpoint: Any) -> Any:
    """Sorted members: a patch adds new ones at the end."""
    if isinstance(checkpoint, dict):
        return [(name, normal(checkpoint[name])) for name in sorted(checkpoint)]
    return checkpoint


def test_messages_are_readable_and_only_new_ones_are_stored(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    graph = chat(saver)
    for _ in range(3):
        graph.invoke(said("what"), thread())
    document = Client(daemon.url).document("langgraph/t/state")
    first, second, *_ = document.get("/channel_values/messages")
    assert first["$message"] == "human" and first["content"] == "what" and first["id"]
    assert second["$message"] == "ai" and second["content"] == "hello"
    patch = document.diff(document.read().revision - 1)
    assert sum(str(one).count("$message") for one in patch) == 1


def test_undo_of_a_run_takes_the_thread_back(daemon: Daemon) -> None:
    person = Client(daemon.url, actor="ada")
    savers = {run: VersiondSaver(Client(daemon.url, actor=f"agent/{run}")) for run in "abc"}
    for run in "abc":
        chat(savers[run]).invoke(said(run), thread())

    def left(run: str) -> list[str]:
        person.undo_all(actor=f"agent/{run}", prefix="langgraph/", conflict="theirs")
        return texts(chat(savers["a"]).get_state(thread()).values)

    assert left("c") == ["a", "hello", "b", "hello"]
    # A run in the middle: the graph continues without what it said.
    chat(savers["c"]).invoke(said("c"), thread())
    assert left("b") == ["a", "hello", "c", "hello"]
    state = chat(savers["b"]).invoke(said("d"), thread())
    assert texts(state) == ["a", "hello", "c", "hello", "d", "hello"]


def test_an_undone_thread_begins_again(daemon: Daemon, saver: VersiondSaver) -> None:
    chat(saver).invoke(said("one"), thread())
    Client(daemon.url, actor="ada").undo_all(actor="agent/run-1", prefix="langgraph/")
    assert saver.get_tuple(thread()) is None and list(saver.list(thread())) == []
    assert texts(chat(saver).invoke(said("two"), thread())) == ["two", "hello"]
    assert texts(chat(saver).get_state(thread()).values) == ["two", "hello"]


def test_an_encrypting_serializer_leaves_no_plain_values(daemon: Daemon) -> None:
    class Reversing:
        def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
            return "reversing", plaintext[::-1]

        def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
            return ciphertext[::-1]

    saver = VersiondSaver(Client(daemon.url), serde=EncryptedSerializer(Reversing()))
    config = put(saver, thread(), secret="swordfish")
    saver.put_writes(config, [("secret", "swordfish")], "task")
    found = saver.get_tuple(config)
    assert found is not None and found.pending_writes == [("task", "secret", "swordfish")]
    for name in ("state", "index"):
        assert "swordfish" not in str(Client(daemon.url).document(f"langgraph/t/{name}").get())


def test_the_first_of_a_regular_write_stays_and_a_special_one_is_replaced(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    config = thread(checkpoint_id=str(uuid.uuid4()))
    other = VersiondSaver(Client(daemon.url))
    # Before its checkpoint, as LangGraph does.
    saver.put_writes(config, [("a", {"first": None})], "task")
    other.put_writes(config, [("a", "second"), ("b", "new")], "task")
    assert saver.get_tuple(config) is None
    checkpoint = {**empty_checkpoint(), "id": config["configurable"]["checkpoint_id"]}
    saver.put(thread(), checkpoint, {}, {})  # type: ignore[arg-type]
    for one, value in ((saver, {"one": 1}), (other, {"two": 2}), (saver, {"three": 3})):
        one.put_writes(config, [("__interrupt__", value)], "task")
    found = saver.get_tuple(config)
    assert found is not None and found.pending_writes == [
        ("task", "__interrupt__", {"three": 3}), ("task", "a", {"first": None}),
        ("task", "b", "new")]


def write(url: str, config: RunnableConfig, name: str) -> None:
    with Client(url) as client:
        saver = VersiondSaver(client)
        saver.put_writes(config, [("a", name), ("b", name)], name)
        saver.put_writes(config, [("a", name)], "shared")
        put(saver, config, name=name)


def test_twenty_processes_lose_no_write_and_no_checkpoint(
    daemon: Daemon, saver: VersiondSaver
) -> None:
    config = put(saver, thread())
    names = [f"process-{number}" for number in range(20)]
    in_processes(write, [(daemon.url, config, name) for name in names])
    found = list(saver.list(thread()))
    assert sorted(one.checkpoint["channel_values"].get("name", "") for one in found) == sorted(
        ["", *names])
    writes = saver.get_tuple(config).pending_writes  # type: ignore[union-attr]
    assert writes is not None and sorted(one[0] for one in writes) == sorted(
        [*names, *names, "shared"])


def test_a_full_thread_names_prune(saver: VersiondSaver, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(parts: Any) -> Any:
        raise Conflict(409, {"code": "too-many-tags", "detail": "It has 10000 tags."})

    monkeypatch.setattr(saver._client, "transact", full)
    with pytest.raises(Conflict, match=r"10,000 checkpoints.*prune\(\['t'\]\)"):
        put(saver, thread())


def test_an_interrupted_prune_is_repeated(
    saver: VersiondSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = put(saver, thread())
    for number in range(4):
        config = put(saver, config, value=number)
    with monkeypatch.context() as broken:
        broken.setattr("versiond._sync.document.Document.merge", None)
        with pytest.raises(TypeError):
            saver.prune(["t"])
    assert [one.config for one in saver.list(thread())] == [config]
    saver.prune(["t"])
    assert saver.get_tuple(thread()).config == config  # type: ignore[union-attr]
    state = saver._client.document("langgraph/t/state")
    assert [one["tag"] for one in state.tags()] == [config["configurable"]["checkpoint_id"]]


def test_names_of_any_kind_are_separate_threads(saver: VersiondSaver) -> None:
    names = ["a", "a/b", "a~b", "a%2Fb", "ä", ".", "a b"]
    for name in names:
        put(saver, thread(name), name=name)
        for space in ("x", "x/y", "long:" + "x" * 300, "long:" + "x" * 299 + "y"):
            put(saver, thread(name, checkpoint_ns=space), name=name + space)
    for name in names:
        found = {one.config["configurable"]["checkpoint_ns"]: one
                 for one in saver.list({"configurable": {"thread_id": name}})}
        assert len(found) == 5
        for space, one in found.items():
            assert one.checkpoint["channel_values"] == {"name": name + space}
    assert len(list(saver.list(None))) == 5 * len(names)
    with pytest.raises(ValueError, match="too long"):
        put(saver, thread("x" * 300))


def test_a_removed_newest_checkpoint_gives_way_to_the_one_before(saver: VersiondSaver) -> None:
    first = put(saver, thread(), value=1)
    last = put(saver, {**first, "metadata": {"run_id": "r"}}, value=2)
    assert saver.get_tuple(thread()).config == last  # type: ignore[union-attr]
    saver.delete_for_runs(["r"])
    assert saver.get_tuple(thread()).config == first  # type: ignore[union-attr]
    assert saver.get_tuple(last) is None


def joined(state: list[str], updates: list[list[str]]) -> list[str]:
    return state + [text for update in updates for text in update]


class Log(TypedDict):
    log: Annotated[list[str], DeltaChannel(joined)]


def test_prune_keeps_what_delta_channels_begin_from(saver: VersiondSaver) -> None:
    graph = StateGraph(Log)
    graph.add_node("work", lambda state: {"log": ["worked"]})
    graph.add_edge(START, "work")
    app = graph.compile(checkpointer=saver)
    for turn in range(4):
        app.invoke({"log": [str(turn)]}, thread())
    before = app.get_state(thread()).values
    assert len(before["log"]) == 8
    saver.prune(["t"])
    assert app.get_state(thread()).values == before


def test_values_do_not_mistake_members_of_users_for_their_own() -> None:
    values = Values(JsonPlusSerializer())
    members: list[Any] = [
        {"$decimal": "1"}, {"$int": "0x1"}, {"$message": "ai"}, {"$typed": "null"}, {"$dict": []},
        {None: {True: {1.5: {"$x": 10**30}}}}]
    for value in members:
        assert values.decode(values.encode(value)) == value
