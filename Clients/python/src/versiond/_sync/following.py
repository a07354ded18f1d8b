# Generated from ../_async by make_sync.py.
"""Follows a feed without gaps and repetitions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx

from .._errors import StreamEnded
from .._types import Event
from .connection import LOST, UNSENDABLE, Connection, whole_lines

_PAUSE_MAX = 5.0


def _is_for_now(status: object) -> bool:
    """Whether the daemon or a proxy refused the request temporarily. A follower retries, since it
    changes nothing."""
    if not isinstance(status, int):
        return False
    return status in {408, 425, 429} or (status >= 500 and status not in {501, 505})


class Feed:
    """A feed and its position."""

    def __init__(
        self, connection: Connection, path: str, words: dict[str, str],
        position: int | None, name: str,
    ) -> None:
        self._connection = connection
        self._path = path
        self._words = words
        #: The member with the position: `cursor`, or `revision` in the feed of a document.
        self._name = name
        self.position = position
        self._pause = 0.05
        #: The client of the stream.
        self._used: dict[str, str] = {}

    def events(self) -> Iterator[Event]:
        while True:
            began = time.monotonic()
            try:
                for event in self._events_of_one_stream():
                    yield event
            except UNSENDABLE as error:
                raise ValueError(f"cannot send the request: {error}") from error
            except LOST:
                pass
            # A stream that ended at once is retried after a pause.
            self._pause = 0.05 if time.monotonic() - began > 5 else min(_PAUSE_MAX, self._pause * 2)
            time.sleep(self._pause)

    def _events_of_one_stream(self) -> Iterator[Event]:
        words = dict(self._words)
        if self.position is not None:
            words["cursor"] = str(self.position)
        self._used = self._connection.credentials()
        with self._connection.stream(self._path, words, self._used) as answer:
            if answer.status_code != 200:
                self._refused(answer)
                return
            for line in whole_lines(answer):
                if not line.strip():
                    continue
                item = self._connection.loads(line)
                if "event" not in item:
                    self._ended(item)
                    return
                event = self._event(item)
                if event is not None:
                    yield event

    def _refused(self, answer: httpx.Response) -> None:
        answer.read()
        if _is_for_now(answer.status_code):
            return
        refusal = self._connection.refused(answer)
        if refusal.status == 401 and self._connection.renew_token(self._used):
            return
        raise refusal

    def _ended(self, said: dict[str, Any]) -> None:
        """The last message of the stream is a problem."""
        status = said.get("status")
        if _is_for_now(status) or (status == 401 and self._connection.renew_token(self._used)):
            return
        raise StreamEnded(str(said.get("detail") or said.get("title") or said))

    def _event(self, item: dict[str, Any]) -> Event | None:
        """A new change."""
        position = int(item.get(self._name, -1))
        if item["event"] == "bookmark":
            if self.position is None or position > self.position:
                self.position = position
            return None
        if item["event"] != "change":
            return None
        if self.position is not None and position <= self.position:
            return None
        self.position = position
        return Event.read(item)
