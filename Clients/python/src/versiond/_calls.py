"""Requests and retries, without I/O."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from ._errors import Unavailable, Uncertain, VersiondError
from ._json import dumps
from ._types import Address, Options

PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
JSON = "application/json"
LINES = "application/x-ndjson"

#: Options that are sent as header fields.
_FIELDS = {"match", "key", "run"}
#: Options of an undo of many edits by their place in the body.
_SELECTION = ("actor", "label", "since", "until", "paths")
_SCOPE = ("transaction", "prefix", "documents", "keep", "resolve", "match", "close")
_NAMES = {
    "dry_run": "dryRun", "copy_of": "copyOf", "with_history": "withHistory",
    "prompt_by": "promptBy",
}


def segment(name: str) -> str:
    """A name as one segment of a path.

    Raises `ValueError` for names with another meaning in a path: dots lead upwards.
    """
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is not a valid name")
    return quote(name, safe="")


def actor_field(name: str) -> str:
    """A name in a header field."""
    return quote(name, safe="/")


def address(state: Address) -> str:
    """The address of a state, as the daemon reads it."""
    if isinstance(state, datetime):
        if state.tzinfo is None:
            raise ValueError("a datetime requires a time zone: datetime.now(timezone.utc)")
        return state.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return str(state)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(segment(name) for name in value)
    return address(value)


def query(words: Mapping[str, Any]) -> dict[str, str]:
    """The query; `None` and false values are omitted."""
    return {
        _NAMES.get(name, name): _text(value) for name, value in words.items()
        if value is not None and value is not False and name not in _FIELDS
    }


@dataclass(frozen=True)
class Call:
    """One request. A change has an idempotency key, so that it can be retried."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    key: str = field(default_factory=lambda: uuid4().hex)

    @property
    def is_change(self) -> bool:
        return self.method not in ("GET", "HEAD")

    @property
    def all_fields(self) -> dict[str, str]:
        return {**self.fields, "Idempotency-Key": self.key} if self.is_change else self.fields

    @staticmethod
    def command(
        method: str, path: str, options: Mapping[str, Any] | Options, body: Any = None,
        kind: str = JSON, *, has_body: bool = True,
    ) -> Call:
        """A call that changes something; `options` contain the query and conditions."""
        fields: dict[str, str] = {}
        match, run = options.get("match"), options.get("run")
        if match is not None:
            fields["If-Match"] = match if match == "*" else f'"{match}"'
        if run is not None:
            fields["Versiond-Actor"] = actor_field(str(run))
        data = None
        if has_body:
            fields["Content-Type"] = kind
            data = dumps(body)
        key = options.get("key") or uuid4().hex
        return Call(method, path, query(options), fields, data, key)


    @staticmethod
    def of_many(path: str, options: Mapping[str, Any]) -> Call:
        """An undo or a redo of many edits."""
        given = {name: word for name, word in options.items() if word is not None}
        named = {name: given.pop(name) for name in _SELECTION if name in given}
        body = {name: given.pop(name) for name in _SCOPE if name in given}
        for end in ("since", "until"):
            if end in named:
                named[end] = address(named[end])
        # The daemon refuses a request with neither or both.
        if named or "transaction" not in body:
            body["all"] = named
        label = given.pop("why", None)
        return Call.command("POST", path, {**given, "label": label}, body)


#: Responses after which the outcome is unknown.
_DENIED = {401, 403}
#: Temporary refusals: nothing was changed.
_BUSY = {429, 503}
#: Responses of a proxy, and those of the daemon for an unknown outcome: the change may be
#: stored.
_UNCLEAR = {502, 504}
_UNCLEAR_CODES = {"journal-uncertain", "outcome-unknown"}


@dataclass
class Attempts:
    """The attempts of a call, and their known outcome."""

    call: Call
    #: The end of retries, by the clock of the caller.
    end: float
    is_unclear: bool = False
    count: int = 0

    def lost(self, *, was_sent: bool) -> None:
        """The response is missing."""
        self.is_unclear |= was_sent

    def wants_another(self, status: int, code: str) -> bool:
        """Whether a response requires a retry."""
        # A response without a problem code is from a proxy.
        is_foreign = status >= 500 and code == f"status-{status}" and status not in _BUSY
        self.is_unclear |= is_foreign or status in _UNCLEAR or code in _UNCLEAR_CODES
        return status in _BUSY or status in _UNCLEAR or is_foreign

    def hides(self, status: int) -> bool:
        """Whether a refusal leaves the outcome of an earlier attempt open."""
        return self.is_unclear and self.call.is_change and status in _DENIED

    def pause(self, now: float, said: str | None = None) -> float | None:
        """The pause before the next attempt; `None` after the last one."""
        self.count += 1
        pause = min(5.0, 0.05 * 2.0 ** min(self.count, 10)) * random.uniform(0.5, 1)
        if said is not None and said.isdecimal():
            pause = max(pause, float(said))
        return pause if now + pause < self.end else None

    def error(self, why: str) -> VersiondError:
        """The error after the last attempt."""
        what = f"{self.call.method} {self.call.path}: {why}"
        if self.is_unclear and self.call.is_change:
            return Uncertain(f"{what}; the change may be stored", self.call.key)
        return Unavailable(f"{what}; nothing was changed")
