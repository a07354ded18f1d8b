"""The checkpoints of one thread and namespace, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP, writes_sort_key

from ..._errors import Conflict, Gone, NotFound, PreconditionFailed
from ..._sync.client import Client
from ..._types import TransactionOutcome
from .._names import part, pointer, shortened
from .difference import difference
from .known import Base, Key, Known

_ATTEMPTS_MAX = 50
#: The daemon accepts 10,000.
_OPERATIONS_MAX = 1_000
#: The number of entries that one edit removes; its time grows with their square.
_ENTRIES_MAX = 500


@dataclass(frozen=True)
class Entry:
    """A checkpoint in the index. The checkpoint itself is a version of the state."""

    parent: str | None
    metadata: Any
    #: Task, channel and value of each pending write, in the order of LangGraph.
    writes: list[tuple[str, str, Any]]

    @classmethod
    def read(cls, raw: Any) -> Entry | None:
        """`None` while the checkpoint of early writes is missing."""
        if "checkpoint" not in raw:
            return None
        keyed = []
        for slot, (path, channel, value) in raw.get("writes", {}).items():
            task, _, position = slot.rpartition("|")
            keyed.append((writes_sort_key(path, task, int(position)), (task, channel, value)))
        parent, metadata = raw["checkpoint"]
        return cls(parent, metadata, [write for _, write in sorted(keyed, key=lambda one: one[0])])


@dataclass(frozen=True)
class Checkpoints:
    """Two documents: `state` has a version for each checkpoint, tagged with its id; `index` has
    their parents, metadata and pending writes.

    A list holds a value that a merge patch replaces as a whole; nulls in it stay.
    """

    client: Client
    folder: str
    thread: str
    namespace: str
    known: Known

    def config(self, id: str) -> RunnableConfig:
        return {"configurable": {
            "thread_id": self.thread, "checkpoint_ns": self.namespace, "checkpoint_id": id}}

    @property
    def index(self) -> str:
        return self._name("index")

    @property
    def state(self) -> str:
        return self._name("state")

    def _name(self, kind: str) -> str:
        rest = f"/{part(self.namespace)}" if self.namespace else ""
        return shortened(f"{self.folder}{kind}{rest}")

    def key(self, id: str) -> Key:
        return self.index, id

    def of_index(self, name: str) -> Checkpoints:
        """The line with this index, which knows its namespace."""
        namespace = self.client.document(name).get("/namespace")
        return Checkpoints(self.client, self.folder, self.thread, namespace, self.known)

    # MARK: Reading

    def newest(self) -> Any:
        """The checkpoint that arrived last."""
        try:
            state = self.client.document(self.state).read()
        except (NotFound, Gone):
            return None
        self.known.note_state(self.state, state.revision, state.value)
        return state.value or None

    def checkpoint(self, id: str) -> Any:
        return self._read(self.state, at=f"tag:{id}")

    def entries(self) -> dict[str, Entry]:
        raw = self._read(self.index, "/checkpoints") or {}
        known = {id: Entry.read(one) for id, one in raw.items()}
        return {id: entry for id, entry in known.items() if entry is not None}

    def entry(self, id: str) -> Entry | None:
        try:
            state = self.client.document(self.index).read(pointer("checkpoints", id))
        except (NotFound, Gone):
            return None
        self.known.note_base(self.key(id), state.revision, state.value.get("writes", {}))
        return Entry.read(state.value)

    def _read(self, name: str, path: str | None = None, at: str | None = None) -> Any:
        try:
            return self.client.document(name).get(path, at=at)
        except (NotFound, Gone) as error:
            if error.code == "trimmed":
                raise
            return None

    # MARK: Writing

    def parent(self, id: str | None) -> Any:
        """The checkpoint as JSON, if it is the one that this saver has stored or read last."""
        state = self.known.state(self.state)
        return state.checkpoint if state and state.checkpoint.get("id") == id else None

    def put(self, id: str, parent: str | None, checkpoint: Any, metadata: Any) -> None:
        entry = {"checkpoint": [parent, metadata], "writes": {}}
        index = {"document": self.index, "merge": {"checkpoints": {id: entry}}}
        for part in self._forms(id, checkpoint):
            try:
                made = self._transact([index, {"document": self.state, "tag": id, **part}])
                break
            except PreconditionFailed:
                # Another graph has stored a checkpoint since.
                continue
        for change in made.changes:
            if change.document == self.state:
                self.known.note_state(self.state, change.revision, checkpoint)
            elif any(one["path"] == pointer("checkpoints", id) for one in change.patch):
                # The entry is new, so it has no writes at this revision.
                self.known.note_base(self.key(id), change.revision, ())

    def _forms(self, id: str, checkpoint: Any) -> Iterator[dict[str, Any]]:
        """The edits that make the state this checkpoint: its difference, else the whole value."""
        state = self.known.state(self.state)
        patch = None if state is None else difference(state.checkpoint, checkpoint)
        if state is not None and patch is not None and len(patch) <= _OPERATIONS_MAX:
            yield {"patch": patch, "match": state.revision}
        yield {"value": checkpoint}

    def _transact(self, parts: Sequence[Any]) -> TransactionOutcome:
        try:
            try:
                return self.client.transact(parts)
            except (NotFound, Gone):
                self._create()
                return self.client.transact(parts)
        except Conflict as error:
            if error.code != "too-many-tags":
                raise
            raise error.hinting(
                "A thread has at most 10,000 checkpoints. "
                f"Call prune([{self.thread!r}]) to keep the newest one.") from None

    def put_writes(
        self, id: str, writes: Sequence[tuple[str, Any]], task: str, path: str
    ) -> None:
        """The first of a regular write stays; one to a special channel replaces the earlier one."""
        made = {
            f"{task}|{WRITES_IDX_MAP.get(channel, position)}": [path, channel, value]
            for position, (channel, value) in enumerate(writes)}
        for _ in range(_ATTEMPTS_MAX):
            base, known = self.known.base(self.key(id)) or self._base(id)
            fresh = {slot: write for slot, write in made.items()
                     if slot not in known or "|-" in slot}
            if not fresh:
                return
            try:
                self.client.document(self.index).merge(
                    {"checkpoints": {id: {"writes": fresh}}}, base=base)
                return
            except (Conflict, NotFound, Gone) as error:
                # Another task was first, or the revision is too old or of another history.
                self.known.forget_base(self.key(id))
                refusal = error
        raise refusal

    def _base(self, id: str) -> Base:
        """A revision of the index, and the writes in it."""
        document = self.client.document(self.index)
        revision = self.known.revision(self.index)
        if revision is None:
            self._create()
            revision = int(document.status()["revision"])
        try:
            state = document.read(pointer("checkpoints", id))
        except (NotFound, Gone):
            # Missing after the revision was read, so missing in it.
            return revision, frozenset()
        return self.known.note_base(self.key(id), state.revision, state.value.get("writes", {}))

    def _create(self) -> None:
        empty = {"namespace": self.namespace, "checkpoints": {}}
        for name, value in ((self.index, empty), (self.state, {})):
            try:
                self.client.document(name).create(value)
            except PreconditionFailed:
                pass

    def remove(self, ids: Sequence[str]) -> None:
        """Removes checkpoints: their tags, then their entries, so that a repetition finds the
        entries that an interrupted call has left."""
        for start in range(0, len(ids), _ENTRIES_MAX):
            part = ids[start:start + _ENTRIES_MAX]
            for id in part:
                self.known.forget_base(self.key(id))
                try:
                    self.client.document(self.state).untag(id)
                except NotFound:
                    pass
            self.client.document(self.index).merge({"checkpoints": dict.fromkeys(part)})
