"""What can go wrong, by what the caller can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class VersiondError(Exception):
    """Something was not done, or it is not known whether it was."""

    #: The code of the problem, as Problems.md lists them; or one of this library.
    code: str = "error"


class Unavailable(VersiondError):
    """Nothing happened: the daemon could not be reached, or could take no work for so long."""

    code = "unavailable"


class Uncertain(VersiondError):
    """It is not known whether it happened: no answer came. Sending it again with `key` is safe."""

    code = "uncertain"

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class StreamEnded(VersiondError):
    """What is followed is no longer there from this position on, or the right to it is gone."""

    code = "stream-ended"


class Problem(VersiondError):
    """The daemon refused: nothing happened. `problem` is what it said (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code = str(problem.get("code", f"status-{status}"))
        self.title: str | None = problem.get("title")
        self.detail: str | None = problem.get("detail")
        #: What to do about it.
        self.hint: str | None = problem.get("hint")
        words = [str(text) for text in (self.detail or self.title or self.code, self.hint) if text]
        super().__init__(f"{self.code}: " + " ".join(words))

    def hinting(self, hint: str) -> Problem:
        """The same with other words on what to do about it."""
        return type(self)(self.status, {**self.problem, "hint": hint})


class Conflict(Problem):
    """Others did something in the same place (409), or there is nothing to undo."""

    @property
    def conflicts(self) -> list[str]:
        """Where, as JSON Pointers."""
        return list(self.problem.get("conflicts", []))

    @property
    def with_revisions(self) -> list[int]:
        """The revisions of the others' changes."""
        return list(self.problem.get("with", []))


class PreconditionFailed(Problem):
    """It is not what `match` says (412), or something must be said with `match` (428)."""

    @property
    def head(self) -> int | None:
        """The newest revision."""
        head = self.problem.get("head")
        return head if isinstance(head, int) else None


class Denied(Problem):
    """The token is not known (401), or has not the right (403)."""


class NotFound(Problem):
    """There is no such document, state or place (404)."""


class Gone(Problem):
    """It was deleted, erased or forgotten (410)."""


_KINDS: dict[int, type[Problem]] = {
    401: Denied, 403: Denied, 404: NotFound, 409: Conflict, 410: Gone,
    412: PreconditionFailed, 428: PreconditionFailed,
}


def problem(status: int, said: Any) -> Problem:
    """The exception for what the daemon, or something before it, said."""
    known = said if isinstance(said, Mapping) else {}
    if not known:
        known = {"code": f"status-{status}", "detail": f"the answer has the status {status}"}
    return _KINDS.get(status, Problem)(status, known)
