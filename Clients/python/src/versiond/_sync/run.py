# Generated from ../_async by make_sync.py.
"""Edits that are undone together after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from contextlib import nullcontext

from .._calls import Call, segment
from .._errors import Conflict, Problem, VersiondError
from .._types import Outcome, TransactionOutcome
from .document import Document

if TYPE_CHECKING:
    from types import TracebackType

    from .client import Client

#: The number of documents that one request undoes.
_DOCUMENTS_MAX = 100
#: The number of edits of a document that one request undoes if the daemon refuses all of them
#: at once.
_EDITS_MAX = 5_000


class Run:
    """A run. Its edits have a unique label, which selects them for undo.

    So a run refuses calls that are not edits (undo, redo, goto, delete, rename).
    """

    def __init__(self, client: Client, label: str) -> None:
        self.client = client
        #: The label in histories: the given label and the name of this run.
        self.label = f"{label} {uuid4().hex[:8]}"
        self._documents: dict[str, Document] = {}
        self._revisions: dict[str, list[int]] = {}
        #: The undone edits, after a failure.
        self.taken_back: list[TransactionOutcome] = []

    def document(self, name: str) -> Document:
        """A document to edit in this run."""
        if name not in self._documents:
            self._documents[name] = Document(self.client, name, run=self)
        return self._documents[name]

    def note(self, name: str, revision: int) -> None:
        """Records an edit of the run."""
        self._revisions.setdefault(name, []).append(revision)

    def take_back(self) -> None:
        """Undoes all edits of the run. An edit under later edits by others remains, and
        `taken_back` lists it."""
        names = sorted(self._documents)
        for place in range(0, len(names), _DOCUMENTS_MAX):
            part = names[place:place + _DOCUMENTS_MAX]
            try:
                self._undo(part)
            except Problem as error:
                if error.code != "too-many-changes":
                    raise
                for name in part:
                    self._undo_in_parts(name)

    def _undo_in_parts(self, name: str) -> None:
        """From the newest to the oldest edit, including edits whose responses were lost."""
        path = f"/v1/documents/{segment(name)}/undo"
        for start in reversed(self._revisions.get(name, [])[::_EDITS_MAX][1:]):
            said = self._undone(path, {"all": {"label": self.label, "since": str(start - 1)}})
            if said is not None:
                self.taken_back.append(TransactionOutcome(None, [Outcome.read(said)], said))
        self._undo([name])

    def _undo(self, names: list[str]) -> None:
        said = self._undone("/v1/undo", {"all": {"label": self.label}, "documents": names})
        if said is not None:
            self.taken_back.append(TransactionOutcome.read(said))

    def _undone(self, path: str, body: Any) -> dict[str, Any] | None:
        """The response; `None` if there was nothing to undo."""
        call = Call.command("POST", path, {"conflict": "theirs"}, body)
        try:
            return dict(self.client.connection.json(call))
        except Conflict as error:
            if error.code != "nothing-to-undo":
                raise
            return None

    def __enter__(self) -> Run:
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
