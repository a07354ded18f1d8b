"""What the daemon tells. `raw` has all of it, as it came."""

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
    """How something is done."""

    #: A text for people, kept with the change.
    label: str
    #: What gives way where others did something in the same place.
    conflict: Side
    #: Only says what would happen.
    dry_run: bool
    #: The revision that the document must be at; `"*"`: it must be there.
    match: int | Literal["*"]
    #: An idempotency key; without one, each call has a key of its own, by which it is sent again.
    key: str


class PutOptions(Options, total=False):
    """How a whole value is put."""

    #: The state that the edit was made on. It is carried past what came later.
    base: Address


class EditOptions(PutOptions, total=False):
    """How an edit is done."""

    #: A tag for the new version.
    tag: str
    #: Quick edits are one version: `"500ms"`.
    debounce: str
    #: Edits with the same key are one version.
    group: str


@dataclass(frozen=True)
class Change:
    """A change, without its patch."""

    revision: int
    kind: str
    time: str
    actor: str | None
    label: str | None
    #: As `history` lists it.
    document: str | None
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Change:
        return cls(
            raw["revision"], raw["kind"], raw["time"], raw.get("actor"), raw.get("label"),
            raw.get("document"), raw)


@dataclass(frozen=True)
class Outcome:
    """What an edit, an undo or another command has done."""

    document: str
    #: The newest revision, and the version that stands there.
    revision: int
    version: int | None
    #: Leads from what was there before to what is there now.
    patch: list[dict[str, Any]]
    #: `None` if there was nothing to do.
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
        """Whether shared undo has something to take back; of one's own the status tells."""
        return bool(self.raw.get("hasUndo"))

    @property
    def has_redo(self) -> bool:
        """Whether shared redo has something to put back."""
        return bool(self.raw.get("hasRedo"))


@dataclass(frozen=True)
class TransactionOutcome:
    """What was done to several documents."""

    #: By this name it is looked up, undone and redone; `None` if nothing was changed.
    transaction: str | None
    changes: list[Outcome]
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> TransactionOutcome:
        changes = [Outcome.read(one) for one in raw.get("changes", []) if "revision" in one]
        return cls(raw.get("transaction"), changes, raw)


@dataclass(frozen=True)
class State:
    """A value, and the revision that it is of."""

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
    """A change as it comes in a feed."""

    document: str
    revision: int
    #: Where to go on behind it: the number in the order of commits, or the document's revision.
    cursor: int
    change: Change
    patch: list[dict[str, Any]]
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Event:
        return cls(
            raw["document"], raw["revision"], raw.get("cursor", raw["revision"]),
            Change.read(raw["change"]), list(raw.get("patch") or []), raw)

