"""The long-term memory of LangGraph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any
from urllib.parse import unquote

from anyio.to_thread import run_sync
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import (
    BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp)

from ..._errors import Gone, NotFound, PreconditionFailed, Problem
from ..._sync.client import Client
from ..._sync.document import Document
from .._names import part, pointer
from .matching import is_match, is_namespace_match
from .values import Values

Namespace = tuple[str, ...]

#: The number of documents that one transaction changes.
_DOCUMENTS_MAX = 100
_ATTEMPTS_MAX = 50


class VersiondStore(BaseStore):
    """Stores each namespace as a document, and each item as a member of it.

    A batch is one transaction for each 100 namespaces. The edits belong to the actor of the
    client: `undo_all(actor=…)` removes the items of this actor, and keeps the rest. Without
    vectors a search by `query` is one by `filter`, the newest items first, and items do not expire.
    """

    def __init__(self, client: Client, *, prefix: str = "memories") -> None:
        self._client = client
        self._prefix = prefix
        self._values = Values(JsonPlusSerializer())

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads come before writes; of several writes of one item the last counts."""
        known = list(ops)
        results = [self._read(op) for op in known]
        writes: dict[Namespace, dict[str, PutOp]] = {}
        for op in known:
            if isinstance(op, PutOp):
                writes.setdefault(op.namespace, {})[op.key] = op
        parts = list(writes.items())
        for start in range(0, len(parts), _DOCUMENTS_MAX):
            self._write(parts[start:start + _DOCUMENTS_MAX])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await run_sync(self.batch, ops)

    # MARK: Reading

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            raw = self._raw(op.namespace, op.key)
            return None if raw is None else Item(**self._fields(op.namespace, op.key, raw))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        return None

    def _raw(self, namespace: Namespace, *place: str) -> Any:
        try:
            return self._document(namespace).get(pointer(*place))
        except (NotFound, Gone):
            return None

    def _fields(self, namespace: Namespace, key: str, raw: Any) -> dict[str, Any]:
        return {
            "namespace": namespace, "key": key, "value": self._values.decode(raw["value"]),
            "created_at": datetime.fromisoformat(raw["created"]),
            "updated_at": datetime.fromisoformat(raw["updated"])}

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = [
            SearchItem(**self._fields(namespace, key, raw))
            for namespace in self._namespaces(op.namespace_prefix)
            for key, raw in (self._raw(namespace) or {}).items()]
        found = [item for item in found if is_match(item.value, op.filter or {})]
        found.sort(key=lambda item: item.updated_at, reverse=True)
        return found[op.offset:op.offset + op.limit]

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        found = {
            namespace[:op.max_depth] for namespace in self._namespaces(())
            if all(is_namespace_match(namespace, one) for one in op.match_conditions or ())}
        return sorted(found)[op.offset:op.offset + op.limit]

    def _namespaces(self, beginning: Namespace) -> Iterator[Namespace]:
        for one in self._client.documents(self._name(beginning)):
            _, *parts = one.name.removeprefix(self._prefix).split("/")
            namespace = tuple(map(unquote, parts))
            if namespace[:len(beginning)] == beginning:
                yield namespace

    # MARK: Writing

    def _write(self, writes: Sequence[tuple[Namespace, Mapping[str, PutOp]]]) -> None:
        for attempt in range(_ATTEMPTS_MAX):
            parts = [
                {"document": self._name(namespace), "patch": patch}
                for namespace, ops in writes if (patch := self._patch(namespace, ops))]
            try:
                if parts:
                    self._client.transact(parts)
                return
            except (NotFound, Gone):
                self._create(namespace for namespace, _ in writes)
            except Problem as error:
                # Another actor has removed an item since it was read.
                if error.status not in (409, 422) or attempt + 1 == _ATTEMPTS_MAX:
                    raise

    def _create(self, namespaces: Iterable[Namespace]) -> None:
        """Empty documents: the undo of an actor who adds the first item keeps those of others."""
        for namespace in namespaces:
            try:
                self._document(namespace).create({})
            except PreconditionFailed:
                pass

    def _patch(self, namespace: Namespace, ops: Mapping[str, PutOp]) -> list[dict[str, Any]]:
        return [one for key, op in ops.items() for one in self._operations(namespace, key, op)]

    def _operations(self, namespace: Namespace, key: str, op: PutOp) -> list[dict[str, Any]]:
        is_there = self._raw(namespace, key) is not None
        if op.value is None:
            return [{"op": "remove", "path": pointer(key)}] if is_there else []
        value = self._values.encode(dict(op.value))
        now = datetime.now(timezone.utc).isoformat()
        if is_there:
            return [{"op": "replace", "path": pointer(key, "value"), "value": value},
                    {"op": "replace", "path": pointer(key, "updated"), "value": now}]
        item = {"value": value, "created": now, "updated": now}
        return [{"op": "add", "path": pointer(key), "value": item}]

    # MARK: Names

    def _name(self, namespace: Namespace) -> str:
        return "/".join([self._prefix, *map(part, namespace)])

    def _document(self, namespace: Namespace) -> Document:
        return self._client.document(self._name(namespace))
