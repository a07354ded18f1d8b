"""The responses of the daemon. `raw` has the complete JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class UndoOptions(TypedDict, total=False):
    """The edits that an undo or a redo of many edits names, and its options."""

    #: Edits of this actor.
    actor: str
    #: Edits with this label.
    label: str
    #: Edits after this state or time.
    since: Address
    #: Edits up to this state or time.
    until: Address
    #: Edits of these places.
    paths: Sequence[str]
    #: The policy for conflicts: reject, mine or theirs.
    conflict: Side
    #: A part of a transaction is undone or redone without the other parts.
    alone: bool
    #: The label of the undo or redo.
    why: str
    #: Return the result without a change.
    dry_run: bool
    #: The idempotency key; by default each call has a new key.
    key: str


class UndoOfDocument(UndoOptions, total=False):
    """The options in one document."""

    #: Places that stay as they are.
    keep: Sequence[str]
    #: The winner of the conflict at a place.
    resolve: Mapping[str, Literal["mine", "theirs"]]
    #: The required revision of the document.
    match: int


class UndoOfMany(UndoOptions, total=False):
    """The options in several documents."""

    #: A transaction, instead of a selection of edits.
    transaction: str
    #: Only documents with this prefix.
    prefix: str
    #: Only these documents.
    documents: Sequence[str]
    #: Documents (`True`), or places of them, that stay as they are.
    keep: Mapping[str, Literal[True] | Sequence[str]]
    #: The winner of the conflict at a place of a document.
    resolve: Mapping[str, Mapping[str, Literal["mine", "theirs"]]]
    #: The required revisions of documents.
    match: Mapping[str, int]
    #: Close open runs whose edits it takes; otherwise they are refused.
    close: bool


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

    @property
    def kept(self) -> list[str]:
        """The places that an undo or a redo of many edits kept as they were; `""` is all of it."""
        change = self.raw.get("change") or {}
        return list(change.get("kept") or self.raw.get("kept", []))


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

