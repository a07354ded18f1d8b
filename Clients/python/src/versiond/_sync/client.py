# Generated from ../_async by make_sync.py.
"""A daemon."""

from __future__ import annotations

from collections.abc import Iterator, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

import httpx
from typing_extensions import Unpack

from .._calls import Call, address, query, segment
from .._types import Address, Change, Event, Listing, TransactionOutcome, UndoOfMany
from .connection import Connection
from .document import Document
from .following import Feed
from .run import Run

if TYPE_CHECKING:
    from types import TracebackType


class Client:
    """A daemon, and the identity of the caller.

    - `token`: a text, or a function that gets one, called again when the daemon refuses the token;
      `token_file`: a file of it.
    - `actor`: who edits, where the token does not say it.
    - `prompt_by`: the requester, mostly a person who prompts an agent.
    - `patience`: the seconds for which a call is repeated while the daemon is unreachable or has
      no room; each change has a key, so that it is carried out once.
    - `timeout`: how long one attempt may take, in seconds.
    - `floats`: numbers are floats instead of `Decimal`: faster, and digits are lost.
    """

    def __init__(
        self, url: str = "http://localhost:8080", *, token: str | Callable[[], str] | None = None,
        token_file: str | Path | None = None, actor: str | None = None,
        prompt_by: str | None = None, headers: Mapping[str, str] | None = None,
        timeout: float = 10, patience: float = 30, floats: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.connection = Connection(
            url, token=token, token_file=token_file, actor=actor, prompt_by=prompt_by,
            headers=headers, timeout=timeout, patience=patience, floats=floats, transport=transport)
        self._name: str | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.http.close()

    # MARK: Documents

    def document(self, name: str) -> Document:
        return Document(self, name)

    def documents(self, prefix: str | None = None) -> Iterator[Listing]:
        """All documents with the prefix, in the order of the bytes of their names."""
        for one in self.pages("/v1/documents", "documents", {"prefix": prefix}):
            yield Listing.read(one)

    def transact(
        self, changes: Sequence[Mapping[str, Any]], *, label: str | None = None,
        dry_run: bool = False, key: str | None = None,
    ) -> TransactionOutcome:
        """Changes several documents atomically. Each has `document`, and one of `value`,
        `patch`, `merge`, `restore`, `undo`, `delete`; `match` and `noneMatch` are conditions."""
        words = {"label": label, "dry_run": dry_run, "key": key}
        call = Call.command("POST", "/v1/transactions", words, {"changes": list(changes)})
        return TransactionOutcome.read(self.connection.json(call))

    def undo_all(self, **options: Unpack[UndoOfMany]) -> TransactionOutcome:
        """Undoes a selection of edits, or a transaction, in several documents as one step, and
        keeps later edits by others."""
        return self._of_many("undo", options)

    def redo_all(self, **options: Unpack[UndoOfMany]) -> TransactionOutcome:
        """Redoes the newest `undo_all` of these edits; again, the one before."""
        return self._of_many("redo", options)

    def merge_drafts(
        self, prefix: str, conflict: Literal["reject", "draft", "origin"] | None = None, *,
        label: str | None = None, dry_run: bool = False, key: str | None = None, **body: Any,
    ) -> TransactionOutcome:
        """Merges all drafts of a prefix into their origins as one step (`resolve`, `match`,
        `end`); `raw` has the `origin` of each, and the `unchanged` drafts."""
        words = {"conflict": conflict, "label": label, "dry_run": dry_run, "key": key}
        call = Call.command("POST", "/v1/merge", words, {"prefix": prefix, **body})
        return TransactionOutcome.read(self.connection.json(call))

    def run(self, label: str | None = None) -> Run:
        """A context that undoes its edits of all documents together if it fails. Other clients see
        the edits as they happen. Their actor is below the client's: `run.actor`."""
        return Run(self, label)

    # MARK: Restore points

    def restore_points(self, *, prefix: str | None = None) -> Iterator[dict[str, Any]]:
        """The restore points whose names begin with the prefix, in the order of their bytes."""
        return self.pages("/v1/restore-points", "restorePoints", {"prefix": prefix})

    def set_restore_point(
        self, name: str, *, prefix: str | None = None, at: Address | None = None,
        ttl: str | None = None, label: str | None = None, key: str | None = None,
    ) -> dict[str, Any]:
        """Names a position in the order of commits, or moves the name: to this moment, or to the
        earlier position `at` (`cursor:981`, `restore-point:NAME`). Its address is
        `restore-point:` and the name."""
        given = {"prefix": prefix, "at": None if at is None else address(at)}
        body = {member: word for member, word in given.items() if word is not None}
        words = {"ttl": ttl, "label": label, "key": key}
        call = Call.command("PUT", "/v1/restore-points/" + segment(name), words, body)
        return dict(self.connection.json(call))

    def delete_restore_point(self, name: str, *, key: str | None = None) -> None:
        """Deletes a restore point; the documents are not changed."""
        path = "/v1/restore-points/" + segment(name)
        self.connection.send(Call.command("DELETE", path, {"key": key}, has_body=False))

    def restore_all(
        self, to: Address, *, prefix: str | None = None, made: Literal["delete"] | None = None,
        deleted: Literal["undelete"] | None = None, label: str | None = None,
        dry_run: bool = False, key: str | None = None,
    ) -> TransactionOutcome:
        """Restores all documents with the prefix (by default that of the restore point) to a time
        or a restore point, as one transaction. Documents created since stay, and deleted ones stay
        deleted, unless `made` or `deleted` says otherwise; `raw` lists them."""
        given = {"to": address(to), "prefix": prefix, "made": made, "deleted": deleted}
        body = {member: word for member, word in given.items() if word is not None}
        words = {"label": label, "dry_run": dry_run, "key": key}
        call = Call.command("POST", "/v1/restore", words, body)
        return TransactionOutcome.read(self.connection.json(call))

    # MARK: Changes

    def history(self, **words: Any) -> Iterator[Change]:
        """The changes of several documents, newest first; arguments as in `Document.history`, and
        `prefix`."""
        return self.changes("/v1/history", words)

    def runs(self, **words: Any) -> Iterator[dict[str, Any]]:
        """The runs (every edit of an actor such as `agent/run-17`), the one with the newest edit
        first; filters: `prefix`, `below`, `prompt_by`, `effect`, `open`, `since`, `until`, `q`."""
        return self.pages("/v1/runs", "runs", words)

    def open_run(
        self, run: str, *, ttl: str | None = None, label: str | None = None,
    ) -> dict[str, Any]:
        """Opens a run, or keeps it open, until `ttl` (10m) passes without an edit of it."""
        words = {"ttl": ttl, "label": label}
        call = Call.command("PUT", "/v1/runs/" + segment(run), words, has_body=False)
        return dict(self.connection.json(call))

    def close_run(self, run: str, *, label: str | None = None) -> dict[str, Any]:
        """Closes a run: it is over."""
        path = f"/v1/runs/{segment(run)}/close"
        call = Call.command("POST", path, {"label": label}, has_body=False)
        return dict(self.connection.json(call))

    def review(self, run: str, *, prefix: str | None = None) -> dict[str, Any]:
        """A run with its `documents`, and the effect of an undo in each of them."""
        path = "/v1/runs/" + segment(run)
        words = query({"prefix": prefix})
        found = dict(self.connection.json(Call("GET", path, words)))
        while found["next"] is not None:
            page = self.connection.json(Call("GET", path, {**words, "cursor": found["next"]}))
            found["documents"] += page["documents"]
            found["next"] = page["next"]
        return found

    def follow(
        self, *, prefix: str | None = None, documents: Collection[str] | None = None,
        since: int | None = None,
    ) -> Iterator[Event]:
        """The changes of documents as they arrive, endless: after a cursor, or from now on.

        Reconnects after a lost connection; each change arrives exactly once.
        """
        words = query({"prefix": prefix, "documents": documents})
        for event in Feed(
            self.connection, "/v1/feed", words, since, "cursor").events():
            yield event

    # MARK: The daemon

    def info(self) -> dict[str, Any]:
        """The name, version, limits and capabilities of the daemon."""
        return dict(self.connection.json(Call("GET", "/v1")))

    def whoami(self) -> dict[str, Any]:
        """The name and the rights of the token."""
        return dict(self.connection.json(Call("GET", "/v1/whoami")))

    def whose(self) -> str | None:
        """The actor of own undo; `None` if it is unknown."""
        if self.connection.actor is not None:
            return self.connection.actor
        fields = self.connection.http.headers
        if "versiond-actor" in fields:
            return unquote(fields["versiond-actor"])
        if not self.connection.credentials() and "authorization" not in fields:
            return None
        if self._name is None:
            self._name = (self.whoami()).get("name")
        return self._name

    # MARK: Pages

    def pages(
        self, path: str, name: str, words: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page."""
        cursor = None
        while True:
            page = self.connection.json(
                Call("GET", path, query({**words, "cursor": cursor})))
            for item in page[name]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def changes(self, path: str, words: Mapping[str, Any]) -> Iterator[Change]:
        for one in self.pages(path, "changes", words):
            yield Change.read(one)

    def _of_many(self, what: str, options: Mapping[str, Any]) -> TransactionOutcome:
        call = Call.of_many(f"/v1/{what}", options)
        return TransactionOutcome.read(self.connection.json(call))
