# Generated from ../_async by make_sync.py.
"""Edits that are undone together after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from contextlib import nullcontext

from .._errors import Conflict, Problem, VersiondError
from .._types import TransactionOutcome, UndoOfMany
from .document import Document

if TYPE_CHECKING:
    from types import TracebackType

    from .client import Client

#: Refusals of an undo that is too large for one request.
_TOO_LARGE = {"too-many-documents", "too-many-changes", "documents-too-large"}
#: The number of edits of a document that one request undoes if the daemon refuses all of them
#: at once.
_EDITS_MAX = 5_000
#: The number of documents that one request undoes.
_DOCUMENTS_MAX = 1_000


class Run:
    """A run. Its edits have an actor of its own, below the client's, which selects them for undo.

    So a run refuses calls that are not edits (undo, redo, goto, delete, rename).
    """

    def __init__(self, client: Client, label: str | None) -> None:
        self.client = client
        #: The label of edits without one.
        self.label = label
        #: The actor in histories, `importer/run-5f2c81aa`; known inside the context.
        self.actor = ""
        self._documents: dict[str, Document] = {}
        self._revisions: dict[str, list[int]] = {}
        #: The undone edits, after a failure.
        self.taken_back: list[TransactionOutcome] = []

    def document(self, name: str) -> Document:
        """A document to edit in this run."""
        if not self.actor:
            raise ValueError("a run begins with its context: with client.run(…) as run")
        if name not in self._documents:
            self._documents[name] = Document(self.client, name, run=self)
        return self._documents[name]

    def note(self, name: str, revision: int) -> None:
        """Records an edit of the run."""
        self._revisions.setdefault(name, []).append(revision)

    def take_back(self) -> None:
        """Undoes all edits of the run. An edit under later edits by others remains, and
        `taken_back` lists it."""
        if self._documents:
            self._undo(sorted(self._documents))

    def _undo(self, names: list[str]) -> None:
        if len(names) > _DOCUMENTS_MAX:
            self._undo(names[:_DOCUMENTS_MAX])
            return self._undo(names[_DOCUMENTS_MAX:])
        try:
            self._undo_together(names)
        except Problem as error:
            if error.code not in _TOO_LARGE:
                raise
            if len(names) == 1:
                return self._undo_in_parts(names[0])
            half = len(names) // 2
            self._undo(names[:half])
            self._undo(names[half:])

    def _undo_in_parts(self, name: str) -> None:
        """From the newest to the oldest edit, including edits whose responses were lost."""
        for start in reversed(self._revisions.get(name, [])[::_EDITS_MAX][1:]):
            self._undo_together([name], since=start - 1)
        self._undo_together([name])

    def _undo_together(self, names: list[str], since: int | None = None) -> None:
        named: UndoOfMany = {"actor": self.actor, "documents": names, "conflict": "theirs"}
        if since is not None:
            named["since"] = since
        try:
            self.taken_back.append(self.client.undo_all(**named))
        except Conflict as error:
            if error.code != "nothing-to-undo":
                raise

    def __enter__(self) -> Run:
        whose = self.client.whose()
        if not whose:
            raise ValueError("a run requires Client(actor=…)")
        self.actor = f"{whose}/run-{uuid4().hex[:8]}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        try:
            # Also after a cancellation, which would otherwise cancel the undo.
            with nullcontext():
                self.take_back()
        except VersiondError as failure:
            raise failure from error
