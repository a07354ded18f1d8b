"""The session of OpenAI Agents: the items of a conversation.

    from agents import Agent, Runner
    from versiond import Client
    from versiond.memories.openai_agents import VersiondSession

    session = VersiondSession("chat-1", Client("http://localhost:8080", actor="agent/run-17"))
    await Runner.run(Agent("Cook"), "What is for lunch?", session=session)
"""

from __future__ import annotations

from typing import Any, cast

from agents import TResponseInputItem
from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import resolve_session_limit
from anyio.to_thread import run_sync

from .._calls import Call, segment
from .._errors import Gone, NotFound, PreconditionFailed, Problem
from .._json import loads
from .._sync.client import Client
from ._names import part

_ATTEMPTS_MAX = 50


class VersiondSession(SessionABC):
    """A conversation as the document `PREFIX/SESSION`, `{"items": […]}`.

    Several processes may add items at once. `document` has its history and undo.
    """

    def __init__(
        self, session_id: str, client: Client, *, prefix: str = "sessions",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self.document = client.document(f"{prefix}/{part(session_id)}")

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The newest items, at most `limit`, the oldest first."""
        bound = resolve_session_limit(limit, self.session_settings)
        items = await run_sync(self._read)
        return items if bound is None or bound < 0 else items[max(0, len(items) - bound):]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if items:
            await run_sync(self._patch, [
                {"op": "add", "path": "/items/-", "value": item} for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        return await run_sync(self._pop)

    async def clear_session(self) -> None:
        await run_sync(self._patch, [{"op": "replace", "path": "/items", "value": []}])

    def _read(self) -> list[TResponseInputItem]:
        call = Call("GET", f"/v1/documents/{segment(self.document.name)}", {"path": "/items"})
        try:
            answer = self.document.client.connection.send(call)
        except (NotFound, Gone):
            return []
        # The models of the SDK have floats.
        return cast(list[TResponseInputItem], loads(answer.content, floats=True))

    def _patch(self, operations: list[dict[str, Any]]) -> None:
        try:
            self.document.patch(operations)
        except (NotFound, Gone):
            try:
                self.document.create({"items": []})
            except PreconditionFailed:
                pass
            self.document.patch(operations)

    def _pop(self) -> TResponseInputItem | None:
        for attempt in range(_ATTEMPTS_MAX):
            items = self._read()
            if not items:
                return None
            place = f"/items/{len(items) - 1}"
            try:
                self.document.patch([
                    {"op": "test", "path": place, "value": items[-1]},
                    {"op": "remove", "path": place}])
                return items[-1]
            except Problem as error:
                # Another process has removed it since.
                if error.status not in (409, 422) or attempt + 1 == _ATTEMPTS_MAX:
                    raise
        return None
