"""Edits that are undone together after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio

from .._calls import Call, segment
from .._errors import Conflict, Problem, VersiondError
from .._types import Outcome, TransactionOutcome
from .document import AsyncDocument

if TYPE_CHECKING:
    from types import TracebackType

    from .client import AsyncClient

#: The number of documents that one request undoes.
_DOCUMENTS_MAX = 100
#: The number of edits of a document that one request undoes if the daemon refuses all of them
#: at once.
_EDITS_MAX = 5_000


class AsyncRun:
    """A run. Its edits have a unique label, which selects them for undo.

    So a run refuses calls that are not edits (undo, redo, goto, delete, rename).
    """

    def __init__(self, client: AsyncClient, label: str) -> None:
        self.client = client
        #: The label in histories: the given label and the name of this run.
        self.label = f"{label} {uuid4().hex[:8]}"
        self._documents: dict[str, AsyncDocument] = {}
        self._revisions: dict[str, list[int]] = {}
        #: The undone edits, after a failure.
        self.taken_back: list[TransactionOutcome] = []

    def document(self, name: str) -> AsyncDocument:
        """A document to edit in this run."""
        if name not in self._documents:
            self._documents[name] = AsyncDocument(self.client, name, run=self)
        return self._documents[name]

    def note(self, name: str, revision: int) -> None:
        """Records an edit of the run."""
        self._revisions.setdefault(name, []).append(revision)

    async def take_back(self) -> None:
        """Undoes all edits of the run. An edit under later edits by others remains, and
        `taken_back` lists it."""
        names = sorted(self._documents)
        for place in range(0, len(names), _DOCUMENTS_MAX):
            part = names[place:place + _DOCUMENTS_MAX]
            try:
                await self._undo(part)
            except Problem as error:
                if error.code != "too-many-changes":
                    raise
                for name in part:
                    await self._undo_in_parts(name)

    async def _undo_in_parts(self, name: str) -> None:
        """From the newest to the oldest edit, including edits whose responses were lost."""
        path = f"/v1/documents/{segment(name)}/undo"
        for start in reversed(self._revisions.get(name, [])[::_EDITS_MAX][1:]):
            said = await self._undone(path, {"all": {"label": self.label, "since": str(start - 1)}})
            if said is not None:
                self.taken_back.append(TransactionOutcome(None, [Outcome.read(said)], said))
        await self._undo([name])

    async def _undo(self, names: list[str]) -> None:
        said = await self._undone("/v1/undo", {"all": {"label": self.label}, "documents": names})
        if said is not None:
            self.taken_back.append(TransactionOutcome.read(said))

    async def _undone(self, path: str, body: Any) -> dict[str, Any] | None:
        """The response; `None` if there was nothing to undo."""
        call = Call.command("POST", path, {"conflict": "theirs"}, body)
        try:
            return dict(await self.client.connection.json(call))
        except Conflict as error:
            if error.code != "nothing-to-undo":
                raise
            return None

    async def __aenter__(self) -> AsyncRun:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        try:
            # Also after a cancellation, which would otherwise cancel the undo.
            with anyio.CancelScope(shield=True):
                await self.take_back()
        except VersiondError as failure:
            raise failure from error
