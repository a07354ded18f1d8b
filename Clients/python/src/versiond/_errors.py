"""The errors, by the reaction of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class VersiondError(Exception):
    """A call failed, or its outcome is unknown."""

    #: The code of the problem (Problems.md), or a code of this library.
    code: str = "error"


class Unavailable(VersiondError):
    """Nothing was changed: the daemon was unreachable or overloaded for the whole time."""

    code = "unavailable"


class Uncertain(VersiondError):
    """The outcome is unknown: the response was lost. A retry with `key` is safe."""

    code = "uncertain"

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class StreamEnded(VersiondError):
    """The feed no longer has the position, or the caller lost the right to read it."""

    code = "stream-ended"


class Problem(VersiondError):
    """The daemon refused the call; nothing was changed. `problem` is the response (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code = str(problem.get("code", f"status-{status}"))
        self.title: str | None = problem.get("title")
        self.detail: str | None = problem.get("detail")
        #: The remedy.
        self.hint: str | None = problem.get("hint")
        words = [str(text) for text in (self.detail or self.title or self.code, self.hint) if text]
        super().__init__(f"{self.code}: " + " ".join(words))

    def hinting(self, hint: str) -> Problem:
        """The same error with another hint."""
        return type(self)(self.status, {**self.problem, "hint": hint})


class Conflict(Problem):
    """A conflict with edits by others (409), or nothing to undo."""

    @property
    def conflicts(self) -> list[str]:
        """The conflicting places, as JSON Pointers."""
        return list(self.problem.get("conflicts", []))

    @property
    def with_revisions(self) -> list[int]:
        """The revisions of the conflicting changes."""
        return list(self.problem.get("with", []))

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """The edits that an undo or a redo of many edits would leave: `document`, `revision`,
        `conflicts` and `with` of each."""
        return list(self.problem.get("skipped", []))


class PreconditionFailed(Problem):
    """`match` does not hold (412), or the document requires `match` (428)."""

    @property
    def head(self) -> int | None:
        """The newest revision."""
        head = self.problem.get("head")
        return head if isinstance(head, int) else None


class Denied(Problem):
    """The token is unknown (401), or lacks the right (403)."""


class NotFound(Problem):
    """The document, state or place does not exist (404)."""


class Gone(Problem):
    """The document was deleted or erased, or the state was trimmed (410)."""


_KINDS: dict[int, type[Problem]] = {
    401: Denied, 403: Denied, 404: NotFound, 409: Conflict, 410: Gone,
    412: PreconditionFailed, 428: PreconditionFailed,
}


def problem(status: int, said: Any) -> Problem:
    """The exception for a response of the daemon or of a proxy."""
    known = said if isinstance(said, Mapping) else {}
    if not known:
        known = {"code": f"status-{status}", "detail": f"the response has the status {status}"}
    return _KINDS.get(status, Problem)(status, known)
