from __future__ import annotations

import asyncio
import threading
from decimal import Decimal
from typing import Any

import pytest
from conftest import Daemon

from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

from versiond import Client
from versiond.memories.langgraph import VersiondStore


@pytest.fixture
def store(daemon: Daemon) -> VersiondStore:
    return VersiondStore(Client(daemon.url, actor="agent/run-17"))


def test_an_item_keeps_its_time_of_creation_and_each_value(store: VersiondStore) -> None:
    ada = ("users", "ada")
    value = {"likes": ["soup", None, {"price": Decimal("4.50")}], "id": 10**40, "raw": b"\x00",
             "score": 0.1, "$typed": {"a": None}}
    store.put(ada, "food/1", value)
    first = store.get(ada, "food/1")
    assert first is not None and first.value == value and first.namespace == ada
    store.put(ada, "food/1", {"likes": None})
    second = store.get(ada, "food/1")
    assert second is not None and second.value == {"likes": None}
    assert second.created_at == first.created_at < second.updated_at
    store.delete(ada, "food/1")
    store.delete(ada, "food/1")
    store.delete(("unknown",), "x")
    assert store.get(ada, "food/1") is None and store.get(("unknown",), "x") is None


def filled(store: BaseStore) -> BaseStore:
    items: list[tuple[str, str, dict[str, Any]]] = [
        ("ada", "a", {"kind": "food", "n": 1, "tags": ["x", "y"], "who": {"name": "ada", "b": 7}}),
        ("ada", "b", {"kind": "food", "n": 2}), ("bob", "c", {"kind": "drink", "n": 3}),
        ("ada/b", "d", {"kind": "food", "n": None}), ("adam", "e", {"n": 5}),
    ]
    for user, key, value in items:
        store.put(("users", user), key, value)
    store.put(("other", "users", "x~y", "z"), "f", {"kind": "food"})
    return store


FILTERS: list[dict[str, Any] | None] = [
    None, {"kind": "food"}, {"kind": "food", "n": 2},
    {"kind": "drink", "n": {"$gt": 1, "$lte": 3}},
    {"n": {"$ne": 2}}, {"who": {"name": "ada"}}, {"tags": ["x", "y"]}, {"tags": ["x"]},
    {"who": {"name": {"$eq": "ada"}}}, {"none": None},
]
BEGINNINGS: list[tuple[str, ...]] = [(), ("users",), ("users", "ada"), ("use",), ("unknown",)]


def test_a_search_finds_what_the_store_in_memory_finds(store: VersiondStore) -> None:
    def found(one: BaseStore, beginning: tuple[str, ...], wanted: Any) -> list[Any]:
        items = one.search(beginning, filter=wanted, query="not an index")
        return sorted((item.namespace, item.key, str(item.value)) for item in items)

    in_memory = filled(InMemoryStore())
    filled(store)
    for beginning in BEGINNINGS:
        for wanted in FILTERS:
            assert found(store, beginning, wanted) == found(in_memory, beginning, wanted)
    newest = store.search((), limit=2, offset=1)
    assert [item.key for item in newest] == ["e", "d"]


def test_namespaces_are_listed_as_by_the_store_in_memory(store: VersiondStore) -> None:
    in_memory = filled(InMemoryStore())
    filled(store)
    conditions: list[dict[str, Any]] = [
        {}, {"prefix": ("users",)}, {"suffix": ("ada",)}, {"prefix": ("*", "ada")},
        {"max_depth": 1}, {"suffix": ("*", "z"), "max_depth": 2}, {"limit": 2, "offset": 1},
        {"prefix": ("a",) * 9}]
    for words in conditions:
        assert store.list_namespaces(**words) == in_memory.list_namespaces(**words)


def test_unknown_operators_and_times_to_live_are_errors(store: VersiondStore) -> None:
    store.put(("a",), "x", {"n": 1})
    with pytest.raises(ValueError, match=r"\$in"):
        store.search(("a",), filter={"n": {"$in": [1]}})
    with pytest.raises(NotImplementedError):
        store.put(("a",), "x", {"n": 1}, ttl=5)


def test_undo_of_a_run_removes_what_it_learned_and_keeps_the_rest(
    daemon: Daemon, store: VersiondStore
) -> None:
    person = Client(daemon.url, actor="ada")
    other = VersiondStore(person)
    other.put(("shared",), "name", {"is": "Ada"})
    store.put(("users", "ada"), "first", {"likes": "soup"})
    other.put(("users", "ada"), "second", {"likes": "bread"})
    store.put(("users", "ada"), "second", {"likes": "nothing"})
    store.put(("only", "the", "run"), "x", {"n": 1})
    store.delete(("shared",), "name")
    person.undo_all(actor="agent/run-17", prefix="memories/")
    kept = {(item.namespace, item.key): item.value for item in store.search(())}
    assert kept == {(("users", "ada"), "second"): {"likes": "bread"},
                    (("shared",), "name"): {"is": "Ada"}}


def test_a_batch_is_one_transaction(daemon: Daemon, store: VersiondStore) -> None:
    store.batch([PutOp(("a",), "x", {"n": 1}), PutOp(("b",), "x", {"n": 2}),
                 PutOp(("a",), "x", {"n": 3}), PutOp(("a",), "y", {"n": 4})])
    client = Client(daemon.url)
    newest = next(client.document("memories/a").history())
    client.undo_all(transaction=newest.raw["transaction"]["id"])
    assert store.search(()) == []
    many = [PutOp((str(number),), "x", {"n": number}) for number in range(150)]
    asyncio.run(store.abatch(many))
    assert len(store.search((), limit=200)) == 150


def test_parallel_writers_lose_nothing(daemon: Daemon, store: VersiondStore) -> None:
    def write(name: str) -> None:
        for number in range(10):
            store.put(("all",), f"{name}-{number}", {"n": number})
            store.put(("all",), "shared", {"by": name})
            store.delete(("all",), "shared")

    threads = [threading.Thread(target=write, args=(str(name),)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({item.key for item in store.search(("all",), limit=200)} - {"shared"}) == 80


def test_a_graph_remembers(store: VersiondStore) -> None:
    def remember(state: MessagesState, runtime: Runtime) -> dict[str, Any]:
        assert runtime.store is not None
        runtime.store.put(("facts",), "last", {"text": state["messages"][-1].content})
        return {}

    graph = StateGraph(MessagesState)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.compile(store=store).invoke({"messages": [HumanMessage("soup")]})
    assert store.get(("facts",), "last").value == {"text": "soup"}  # type: ignore[union-attr]
