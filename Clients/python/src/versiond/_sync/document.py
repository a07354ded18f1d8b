# Generated from ../_async by make_sync.py.
"""One document."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack

from .._calls import MERGE, PATCH, Call, address, query, segment
from .._errors import Conflict, Gone, NotFound, PreconditionFailed
from .._types import (
    Address, Change, EditOptions, Event, Operation, Options, Outcome, PutOptions, State,
    TransactionOutcome, UndoOfDocument)
from .following import Feed

if TYPE_CHECKING:
    from .client import Client
    from .run import Run

_NOTHING: Any = object()


class Document:
    """A document by its name, which need not exist.

    Every edit has a key: it is sent again until there is an answer, and happens once.
    """

    def __init__(
        self, client: Client, name: str, *, run: Run | None = None
    ) -> None:
        self.client = client
        self.name = name
        self._run = run
        #: The actor of its edits, in a run.
        self.actor = None if run is None else run.actor
        self._path = f"/v1/documents/{segment(name)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    # MARK: Reading

    def get(self, path: str | None = None, *, at: Address | None = None) -> Any:
        """The value, or the value at a JSON Pointer, now or at an earlier state."""
        return (self.read(path, at=at)).value

    def read(self, path: str | None = None, *, at: Address | None = None) -> State:
        """The value with its revision."""
        answer = self.client.connection.send(
            Call("GET", self._path, query({"path": path, "at": at})))
        revision = int(answer.headers["etag"].removeprefix("W/").strip('"'))
        return State(self.client.connection.loads(answer.content), revision)

    def exists(self) -> bool:
        try:
            self.status()
        except (NotFound, Gone):
            return False
        return True

    def status(self, **words: Any) -> dict[str, Any]:
        """Returns the next undo and redo; with `actor`, also those of this actor."""
        return self._ask("/status", words)

    # MARK: Editing

    def put(self, value: Any, **options: Unpack[PutOptions]) -> Outcome:
        """Creates the document, or replaces its value; the difference is the edit."""
        return self._change("PUT", "", options, value)

    def create(self, value: Any, **options: Unpack[Options]) -> Outcome:
        """Creates the document; `PreconditionFailed` if it exists."""
        return self._created(value, options)

    def _created(self, value: Any, options: Any) -> Outcome:
        # A creation does not support the options that group edits.
        known = {name: options[name] for name in ("label", "dry_run", "key") if name in options}
        call = self._command("PUT", "", known, value)
        call.fields["If-None-Match"] = "*"
        return self._noted(self.client.connection.json(call))

    def merge(self, changes: Any, **options: Unpack[EditOptions]) -> Outcome:
        """Applies a merge patch: members to set, `None` for members to remove."""
        return self._change("PATCH", "", options, changes, MERGE)

    def patch(
        self, operations: Sequence[Operation], **options: Unpack[EditOptions]
    ) -> Outcome:
        """Applies a JSON Patch; `str_ins`, `str_del` and `str_replace` edit inside texts."""
        return self._change("PATCH", "", options, list(operations), PATCH)

    def edit(
        self, change: Callable[[Any], Any], *, create: Any = _NOTHING, retries: int = 5,
        **options: Unpack[EditOptions],
    ) -> Outcome:
        """Edits with a function that changes the value in place, or returns another value.

        Only the difference is sent, so concurrent edits are kept. After a conflict the function
        is called again with the new value, at most `retries` times; then `Conflict` is raised.
        `create`: the first value of a document that does not exist.
        """
        for attempt in range(retries + 1):
            try:
                state = self.read()
            except NotFound:
                if create is _NOTHING:
                    raise
                state = State(create, -1)
            except Gone as error:
                if create is _NOTHING or error.code != "document-deleted":
                    raise
                raise error.hinting(
                    "undelete() restores it; create() creates a new document under its name."
                ) from None
            value = copy.deepcopy(state.value)
            made = change(value)
            value = value if made is None else made
            try:
                if state.revision < 0:
                    return self._created(value, options)
                based = {"base": state.revision, **options}
                return self._change("POST", "/append", based, value)
            except Conflict as error:
                if error.code not in ("conflict", "base-too-old") or attempt == retries:
                    raise
            except PreconditionFailed:
                if state.revision >= 0 or attempt == retries:
                    raise
        raise AssertionError("each attempt returns or raises")

    def delete(self, *, purge: bool = False, **options: Unpack[Options]) -> None:
        """Deletes the document and keeps its history; `purge` erases both permanently."""
        self._must_be_outside_runs("delete")
        words = self._labelled({**options, "purge": purge})
        call = Call.command("DELETE", self._path, words, has_body=False)
        self.client.connection.send(call)

    def undelete(self, **options: Unpack[Options]) -> Outcome:
        return self._post("/undelete", options)

    def rename(self, name: str, **options: Unpack[Options]) -> Document:
        """Renames the document; its history is kept."""
        self._must_be_outside_runs("rename")
        self._post("/rename", options, {"name": name})
        return self.client.document(name)

    def copy(
        self, name: str, *, at: Address | None = None, with_history: bool = False,
        **options: Unpack[Options],
    ) -> Document:
        """Copies the document, or an earlier state, optionally with its history."""
        source = f"{self.name}@{address('head' if at is None else at)}"
        other = self._open(name)
        words = self._labelled({**options, "copy_of": source, "with_history": with_history})
        call = Call.command("PUT", other._path, words, has_body=False)
        self.client.connection.send(call)
        return other

    # MARK: Undo

    def undo(
        self, *, shared: bool = False, count: int | None = None, to: Address | None = None,
        revision: int | None = None, **options: Unpack[Options],
    ) -> Outcome:
        """Undoes your own latest version and keeps later edits by others.

        `revision` undoes that change; `shared`, `count` or `to` undo versions of all actors.
        """
        return self._move("/undo", options, shared, count, to, revision)

    def redo(
        self, *, shared: bool = False, count: int | None = None, to: Address | None = None,
        revision: int | None = None, **options: Unpack[Options],
    ) -> Outcome:
        """Redoes your own latest undo; arguments as in `undo`."""
        return self._move("/redo", options, shared, count, to, revision)

    def undo_all(self, **options: Unpack[UndoOfDocument]) -> Outcome:
        """Undoes a selection of edits as one step: by actor, label, span of states, and places.
        Deletes the document if they created it and others have not edited it."""
        return self._of_many("undo", options)

    def redo_all(self, **options: Unpack[UndoOfDocument]) -> Outcome:
        """Redoes the newest `undo_all` of these edits; again, the one before."""
        return self._of_many("redo", options)

    def goto(self, to: Address, **options: Unpack[Options]) -> Outcome:
        """Goes to a version; a repeated call has no effect."""
        self._must_be_outside_runs("goto")
        return self._post("/goto", options, {"to": address(to)})

    def restore(
        self, since: Address, paths: list[str] | None = None, **options: Unpack[Options]
    ) -> Outcome:
        """Restores another state, or places of it, as one edit."""
        body: dict[str, Any] = {"from": address(since)}
        if paths is not None:
            body["paths"] = paths
        return self._post("/restore", options, body)

    @contextmanager
    def run(self, label: str | None = None) -> Iterator[Document]:
        """A context that undoes its edits together if it fails; see `Client.run`."""
        with self.client.run(label) as run:
            yield run.document(self.name)

    # MARK: Tags, snapshots, settings

    def tag(
        self, name: str, at: Address | None = None, **options: Unpack[Options]
    ) -> dict[str, Any]:
        """Tags the current version, or another one."""
        body = {} if at is None else {"at": address(at)}
        return self._send("PUT", f"/tags/{segment(name)}", options, body)

    def untag(self, name: str, **options: Unpack[Options]) -> Outcome:
        """Deletes a tag; its version stays."""
        words = self._labelled(options)
        call = Call.command("DELETE", f"{self._path}/tags/{segment(name)}", words, has_body=False)
        return Outcome.read(self.client.connection.json(call))

    def tags(self) -> list[dict[str, Any]]:
        return list((self._ask("/tags", {}))["tags"])

    def snapshot(
        self, name: str, paths: list[str] | None = None, **options: Unpack[Options]
    ) -> dict[str, Any]:
        """Creates a snapshot of the document, or of places in it."""
        body = {} if paths is None else {"paths": paths}
        return self._send("PUT", f"/snapshots/{segment(name)}", options, body)

    def settings(self) -> dict[str, Any]:
        return dict((self._ask("/settings", {}))["settings"])

    def set(self, settings: dict[str, Any], **options: Unpack[Options]) -> Outcome:
        """Changes settings with a merge patch; `None` restores the default."""
        return self._change("PATCH", "/settings", options, settings)

    # MARK: The past

    def history(self, **words: Any) -> Iterator[Change]:
        """The changes, newest first; filters: `actor`, `label`, `kind`, `path`, `since`, `until`,
        `q`."""
        return self.client.changes(self._path + "/history", words)

    def versions(self, **words: Any) -> Iterator[dict[str, Any]]:
        """The versions, newest first."""
        return self.client.pages(self._path + "/versions", "versions", words)

    def blame(
        self, path: str | None = None, *, at: Address | None = None
    ) -> dict[str, Any]:
        """The change and the actor that last set each value."""
        return self._ask("/blame", {"path": path, "at": at})

    def diff(self, since: Address, to: Address = "head") -> list[dict[str, Any]]:
        """The patch from one state to another."""
        return list((self._ask("/diff", {"from": since, "to": to}))["patch"])

    def follow(self, since: int | None = None) -> Iterator[Event]:
        """The changes as they arrive, endless; after a revision, or from now on."""
        feed = Feed(
            self.client.connection, self._path + "/feed", {}, since, "revision")
        for event in feed.events():
            yield event

    # MARK: Drafts

    def draft(self, name: str, **options: Unpack[Options]) -> Document:
        """Creates a draft of this document, `NAME~…`, to edit separately and merge."""
        return self.copy(f"{self.name}~{name}", **options)

    def origin(self, **words: Any) -> dict[str, Any]:
        """Compares this draft with its origin."""
        return self._ask("/origin", words)

    def drafts(self) -> list[dict[str, Any]]:
        return [one for one in self.client.pages(self._path + "/drafts", "drafts", {})]

    def update(
        self, conflict: Literal["reject", "draft", "origin"] | None = None, **body: Any
    ) -> Outcome:
        """Applies the new changes of the origin to this draft."""
        return self._post("/update", {"conflict": conflict}, body)

    def merge_into_origin(
        self, conflict: Literal["reject", "draft", "origin"] | None = None, *,
        label: str | None = None, dry_run: bool = False, **body: Any,
    ) -> dict[str, Any]:
        """Merges this draft, or a part of it (`paths`, `changes`, `at`), into its origin."""
        words = {"conflict": conflict, "label": label, "dry_run": dry_run}
        return self._send("POST", "/merge", words, body)

    # MARK: Sending

    def _ask(self, rest: str, words: dict[str, Any]) -> dict[str, Any]:
        answer = self.client.connection.json(Call("GET", self._path + rest, query(words)))
        return dict(answer)

    def _must_be_outside_runs(self, what: str) -> None:
        """Refuses calls that a run could not undo: they are not edits."""
        if self._run is not None:
            raise ValueError(f"a run cannot undo {what}: call it outside of the run")

    def _open(self, name: str) -> Document:
        """Another document in the same run."""
        return self.client.document(name) if self._run is None else self._run.document(name)

    def _labelled(self, options: Any) -> dict[str, Any]:
        if self._run is None:
            return dict(options)
        return {"label": self._run.label, **options, "run": self._run.actor}

    def _command(
        self, method: str, rest: str, options: Any, body: Any, kind: str = "application/json"
    ) -> Call:
        return Call.command(method, self._path + rest, self._labelled(options), body, kind)

    def _send(self, method: str, rest: str, options: Any, body: Any) -> dict[str, Any]:
        call = self._command(method, rest, options, body)
        return dict(self.client.connection.json(call))

    def _change(
        self, method: str, rest: str, options: Any, body: Any, kind: str = "application/json"
    ) -> Outcome:
        call = self._command(method, rest, options, body, kind)
        return self._noted(self.client.connection.json(call))

    def _noted(self, said: Any) -> Outcome:
        outcome = Outcome.read(said)
        if self._run is not None and outcome.change is not None:
            self._run.note(self.name, outcome.revision)
        return outcome

    def _of_many(self, what: str, options: Mapping[str, Any]) -> Outcome:
        self._must_be_outside_runs(f"{what}_all")
        here = {
            name: {self.name: options[name]} for name in ("keep", "resolve", "match")
            if options.get(name) is not None}
        call = Call.of_many(f"/v1/{what}", {**options, **here, "documents": [self.name]})
        done = TransactionOutcome.read(self.client.connection.json(call))
        return next(one for one in done.changes if one.document == self.name)

    def _post(self, rest: str, options: Any, body: Any = None) -> Outcome:
        return self._change("POST", rest, options, body or {})

    def _move(
        self, rest: str, options: Any, shared: bool, count: int | None, to: Address | None,
        revision: int | None,
    ) -> Outcome:
        self._must_be_outside_runs(rest.lstrip("/"))
        body: dict[str, Any] = {}
        if revision is not None:
            body["revision"] = revision
        elif to is not None:
            body["to"] = address(to)
        elif count is not None:
            body["count"] = count
        elif not shared:
            actor = self.client.whose()
            if actor is None:
                raise ValueError("own undo requires Client(actor=…), shared undo shared=True")
            body = {"actor": actor}
        return self._post(rest, options, body)
