"""What a saver knows of the checkpoints that it has stored or read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Event

_COUNT_MAX = 1_000

#: A document and a checkpoint in it.
Key = tuple[str, str]
#: A revision of the document, and the pending writes of the checkpoint in it.
Base = tuple[int, frozenset[str]]


class Bases:
    """The newest `Base` of each checkpoint, so that its writes need no read before them."""

    def __init__(self) -> None:
        self._known: dict[Key, Base] = {}
        self._puts: dict[Key, Event] = {}

    @contextmanager
    def putting(self, key: Key) -> Iterator[None]:
        """LangGraph sends a checkpoint and its first writes from several threads at once: `get`
        waits for the checkpoint, which needs no read either."""
        ended = self._puts[key] = Event()
        try:
            yield
        finally:
            self._puts.pop(key, None)
            ended.set()

    def get(self, key: Key) -> Base | None:
        put = self._puts.get(key)
        if put is not None:
            put.wait()
        return self._known.get(key)

    def note(self, key: Key, revision: int, writes: Collection[str]) -> Base:
        if len(self._known) >= _COUNT_MAX:
            self._known.clear()
        self._known[key] = revision, frozenset(writes)
        return revision, frozenset(writes)

    def forget(self, key: Key) -> None:
        self._known.pop(key, None)
