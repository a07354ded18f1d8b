"""The checkpoints of LangGraph."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from anyio.to_thread import run_sync
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple,
    get_checkpoint_id, get_checkpoint_metadata)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..._sync.client import Client
from .._names import part
from .checkpoints import Entry, Checkpoints
from .known import Known
from .values import Values

#: Names of documents have 256 bytes; the rest is for the namespace, or a hash of it.
_FOLDER_MAX = 180


class VersiondSaver(BaseCheckpointSaver[int]):
    """Stores the checkpoints of each thread and namespace as the versions of a document.

    Graphs of several processes may share a thread. `ainvoke` calls the same code in a worker
    thread. `delete_thread` needs the right `admin`, since it erases the history too.
    """

    def __init__(
        self, client: Client, *, prefix: str = "langgraph", serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._client = client
        self._prefix = prefix
        self._known = Known()

    # MARK: Reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        stored = self._of(config)
        id = get_checkpoint_id(config)
        if id is not None:
            return self._tuple(stored, id, stored.entry(id))
        state = stored.newest()
        if state is None:
            return None
        found = self._tuple(stored, state["id"], stored.entry(state["id"]), state)
        if found is not None:
            return found
        # The newest version is not a checkpoint any more: delete_for_runs removed it.
        entries = stored.entries()
        return self._tuple(stored, max(entries), entries[max(entries)]) if entries else None

    def list(
        self, config: RunnableConfig | None, *, filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None, limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        id = None if config is None else get_checkpoint_id(config)
        end = None if before is None else get_checkpoint_id(before)
        for stored in self._all(config):
            for name, entry in sorted(stored.entries().items(), reverse=True):
                metadata = self._values.decode(entry.metadata)
                is_wanted = (id is None or name == id) and (end is None or name < end) and all(
                    metadata.get(key) == value for key, value in (filter or {}).items())
                if not is_wanted:
                    continue
                if limit is not None and limit <= 0:
                    return
                found = self._tuple(stored, name, entry)
                if found is not None:
                    yield found
                    limit = None if limit is None else limit - 1

    def _tuple(
        self, stored: Checkpoints, id: str, entry: Entry | None, state: Any = None
    ) -> CheckpointTuple | None:
        if entry is None:
            return None
        checkpoint = stored.checkpoint(id) if state is None else state
        if checkpoint is None:
            return None
        values = self._values
        return CheckpointTuple(
            stored.config(id), values.decode_checkpoint(checkpoint), values.decode(entry.metadata),
            None if entry.parent is None else stored.config(entry.parent),
            [(task, channel, values.decode(value)) for task, channel, value in entry.writes])

    # MARK: Writing

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        stored = self._of(config)
        id = checkpoint["id"]
        with self._known.putting(stored.key(id)):
            about = self._values.encode(dict(get_checkpoint_metadata(config, metadata)))
            parent = get_checkpoint_id(config)
            state = self._values.encode_checkpoint(checkpoint, stored.parent(parent))
            stored.put(id, parent, state, about)
        return stored.config(id)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str,
        task_path: str = "",
    ) -> None:
        encoded = [(channel, self._values.encode(value)) for channel, value in writes]
        stored = self._of(config)
        stored.put_writes(config["configurable"]["checkpoint_id"], encoded, task_id, task_path)

    # MARK: Removing

    def delete_thread(self, thread_id: str) -> None:
        for name in self._documents(thread_id):
            self._client.document(name).delete(purge=True)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Removes the checkpoints of these runs in all threads; their values stay in histories."""
        for stored in self._all(None) if run_ids else ():
            stored.remove([id for id, entry in stored.entries().items()
                         if self._values.decode(entry.metadata).get("run_id") in run_ids])

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"{strategy!r} is neither keep_latest nor delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            for stored in self._all({"configurable": {"thread_id": thread}}):
                entries = stored.entries()
                stored.remove(sorted(entries.keys() - self._kept(stored, entries)))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        # The index before the states: each of its checkpoints has a state in the copy.
        for name in self._documents(source_thread_id):
            rest = name.removeprefix(self._folder(source_thread_id))
            self._client.document(name).copy(
                self._folder(target_thread_id) + rest, with_history=True)

    def _kept(self, stored: Checkpoints, entries: dict[str, Entry]) -> set[str]:
        """The newest checkpoint, and the earlier ones from which its delta channels begin."""
        id = max(entries, default=None)
        kept: set[str] = set()
        channels: set[str] | None = None
        while id in entries and id not in kept and (channels is None or channels):
            kept.add(id)
            if channels is None:
                about = self._values.decode(entries[id].metadata)
                channels = set(about.get("counters_since_delta_snapshot") or ())
            if channels:
                values = (stored.checkpoint(id) or {}).get("channel_values", {})
                channels -= values.keys()
            id = entries[id].parent
        return kept

    # MARK: Names and values

    @property
    def _values(self) -> Values:
        # with_allowlist() sets another serializer in a copy of the saver.
        return Values(self.serde)

    def _folder(self, thread: str) -> str:
        folder = f"{self._prefix}/{part(str(thread))}/"
        if len(folder) > _FOLDER_MAX:
            raise ValueError(f"the thread_id is too long: {folder!r} exceeds {_FOLDER_MAX} bytes")
        return folder

    def _of(self, config: RunnableConfig) -> Checkpoints:
        names = config["configurable"]
        return Checkpoints(
            self._client, self._folder(names["thread_id"]), str(names["thread_id"]),
            names.get("checkpoint_ns") or "", self._known)

    def _documents(self, thread: str | None) -> builtins.list[str]:
        """The documents of a thread, or of all."""
        folder = f"{self._prefix}/" if thread is None else self._folder(thread)
        return sorted(one.name for one in self._client.documents(folder))

    def _all(self, config: RunnableConfig | None) -> Iterator[Checkpoints]:
        """The namespaces of a thread, the one that the config names, or all of all threads."""
        names = {} if config is None else config["configurable"]
        if config is not None and names.get("checkpoint_ns") is not None:
            yield self._of(config)
            return
        for name in self._documents(names.get("thread_id")):
            _, thread, kind, *_ = [*name.removeprefix(self._prefix).split("/"), ""]
            if kind == "index":
                yield self._of({"configurable": {"thread_id": unquote(thread)}}).of_index(name)

    # MARK: The same with await

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await run_sync(self.get_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, *, filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None, limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await run_sync(next, found, None)) is not None:
            yield one

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await run_sync(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str,
        task_path: str = "",
    ) -> None:
        await run_sync(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await run_sync(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await run_sync(self.delete_for_runs, run_ids)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await run_sync(partial(self.prune, thread_ids, strategy=strategy))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await run_sync(self.copy_thread, source_thread_id, target_thread_id)
