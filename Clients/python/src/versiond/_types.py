"""The responses of the daemon. `raw` has the complete JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

#: A state: a revision, `head`, `version:N`, `tag:NAME`, `snapshot:NAME`, or a time.
Address = int | str | datetime

Operation = Mapping[str, Any]

Side = Literal["reject", "mine", "theirs"]


class Options(TypedDict, total=False):
    """The options of all changes."""

    #: A description that is stored with the change.
    label: str
    #: The policy for conflicts: reject, mine or theirs.
    conflict: Side
    #: Return the result without a change.
    dry_run: bool
    #: The required revision of the document; `"*"` for any.
    match: int | Literal["*"]
    #: The idempotency key; by default each call has a new key.
    key: str


class PutOptions(Options, total=False):
    """The options of a whole value."""

    #: The state on which the edit was made. Later changes are merged.
    base: Address


class EditOptions(PutOptions, total=False):
    """The options of an edit."""

    #: A tag for the new version.
    tag: str
    #: Edits within this time become one version: `"500ms"`.
    debounce: str
    #: Edits with the same key become one version.
    group: str


@dataclass(frozen=True)
class Change:
    """A change, without its patch."""

    revision: int
    kind: str
    time: str
    actor: str | None
    label: str | None
    #: The requester, who asked the actor for the change.
    prompt_by: str | None
    #: The change in the form of `history`.
    document: str | None
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Change:
        return cls(
            raw["revision"], raw["kind"], raw["time"], raw.get("actor"), raw.get("label"),
            raw.get("promptBy"), raw.get("document"), raw)


@dataclass(frozen=True)
class Outcome:
    """The result of an edit, an undo or another command."""

    document: str
    #: The newest revision and its version.
    revision: int
    version: int | None
    #: The patch from the previous to the new value.
    patch: list[dict[str, Any]]
    #: `None` if nothing was changed.
    change: Change | None
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Outcome:
        change = raw.get("change")
        return cls(
            raw["document"], raw["revision"], raw.get("version"), list(raw.get("patch") or []),
            None if change is None else Change.read(change), raw)

    @property
    def has_undo(self) -> bool:
        """Whether shared undo is available; `status` has own undo."""
        return bool(self.raw.get("hasUndo"))

    @property
    def has_redo(self) -> bool:
        """Whether shared redo is available."""
        return bool(self.raw.get("hasRedo"))


@dataclass(frozen=True)
class TransactionOutcome:
    """The result of a change of several documents."""

    #: The name of the transaction; `None` if nothing was changed.
    transaction: str | None
    changes: list[Outcome]
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> TransactionOutcome:
        changes = [Outcome.read(one) for one in raw.get("changes", []) if "revision" in one]
        return cls(raw.get("transaction"), changes, raw)


@dataclass(frozen=True)
class State:
    """A value and its revision."""

    value: Any
    revision: int


@dataclass(frozen=True)
class Listing:
    """A document in a list."""

    name: str
    revision: int
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Listing:
        return cls(raw["document"], raw["revision"], raw)


@dataclass(frozen=True)
class Event:
    """A change in a feed."""

    document: str
    revision: int
    #: The position after which to continue: a number in the order of commits, or a revision.
    cursor: int
    change: Change
    patch: list[dict[str, Any]]
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Event:
        return cls(
            raw["document"], raw["revision"], raw.get("cursor", raw["revision"]),
            Change.read(raw["change"]), list(raw.get("patch") or []), raw)

