"""The checkpoints that a saver has stored or read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple, TypeVar

_BASES_MAX = 1_000
_STATES_MAX = 32

#: A document and a checkpoint in it.
Key = tuple[str, str]
#: A revision of the index, and the pending writes of the checkpoint in it.
Base = tuple[int, frozenset[str]]

Name = TypeVar("Name")
Value = TypeVar("Value")


class State(NamedTuple):
    """A checkpoint as JSON, and the revision of its document."""

    revision: int
    checkpoint: Any


class Known:
    """Bases, so that writes need no read before them, and states, so that the saver sends only
    differences. The daemon refuses an edit on outdated knowledge."""

    def __init__(self) -> None:
        self._bases: dict[Key, Base] = {}
        self._revisions: dict[str, int] = {}
        self._puts: dict[Key, Event] = {}
        self._states: dict[str, State] = {}

    @contextmanager
    def putting(self, key: Key) -> Iterator[None]:
        """LangGraph sends a checkpoint and its first writes from several threads at once: `base`
        waits for the checkpoint."""
        ended = self._puts[key] = Event()
        try:
            yield
        finally:
            self._puts.pop(key, None)
            ended.set()

    def base(self, key: Key) -> Base | None:
        put = self._puts.get(key)
        if put is not None:
            put.wait()
        return self._bases.get(key)

    def note_base(self, key: Key, revision: int, writes: Collection[str]) -> Base:
        base = revision, frozenset(writes)
        _set(self._bases, key, base, _BASES_MAX)
        _set(self._revisions, key[0], revision, _BASES_MAX)
        return base

    def revision(self, document: str) -> int | None:
        """A revision that the document had."""
        return self._revisions.get(document)

    def forget_base(self, key: Key) -> None:
        self._bases.pop(key, None)
        self._revisions.pop(key[0], None)

    def state(self, document: str) -> State | None:
        """The newest checkpoint."""
        return self._states.get(document)

    def note_state(self, document: str, revision: int, checkpoint: Any) -> None:
        _set(self._states, document, State(revision, checkpoint), _STATES_MAX)


def _set(known: dict[Name, Value], name: Name, value: Value, count: int) -> None:
    """Sets a member of a bounded dictionary that several threads use."""
    known.pop(name, None)
    while len(known) >= count:
        known.pop(next(iter(known)), None)
    known[name] = value
