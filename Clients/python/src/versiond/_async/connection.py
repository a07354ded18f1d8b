"""Sends calls and retries them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx

from .._calls import LINES, Attempts, Call, actor_field
from .._errors import Problem, problem
from .._json import loads

#: The library closes a connection that is silent for two heartbeats of the daemon.
_HEARTBEAT = "10s"
_SILENCE_MAX = 25.0

#: Requests that no attempt can send. Also a subclass of `LOST`, so it is checked first.
UNSENDABLE = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
#: The response is missing or incomplete.
LOST = (httpx.TransportError, httpx.DecodingError)


class AsyncConnection:
    """One daemon: its address, the caller, and the limit of retries."""

    def __init__(
        self, url: str, *, token: str | Callable[[], str] | None, token_file: str | Path | None,
        actor: str | None, prompt_by: str | None, headers: Mapping[str, str] | None,
        timeout: float, patience: float, floats: bool, transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        if token is not None and token_file is not None:
            raise ValueError("token and token_file exclude each other")
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not an address like http://host:8080")
        self._token = token
        self._token_file = None if token_file is None else Path(token_file).expanduser()
        self.known_token: str | None = None
        self.patience = patience
        self.floats = floats
        self.actor = actor
        fields = dict(headers or {})
        if actor is not None:
            fields["Versiond-Actor"] = actor_field(actor)
        if prompt_by is not None:
            fields["Versiond-Prompt-By"] = actor_field(prompt_by)
        self.http = httpx.AsyncClient(
            base_url=url, headers=fields, timeout=timeout, transport=transport)

    # MARK: Calls

    async def send(self, call: Call) -> httpx.Response:
        """The response; raises refusals and unknown outcomes."""
        attempts = Attempts(call, time.monotonic() + self.patience)
        was_renewed = False
        while True:
            said = None
            used = self.credentials()
            try:
                answer = await self._request(call, used)
            except UNSENDABLE as error:
                raise ValueError(f"cannot send the request: {_words(error)}") from error
            except LOST as error:
                attempts.lost(was_sent=not _is_unsent(error))
                why = _words(error)
            else:
                if answer.is_success or answer.status_code == 304:
                    return answer
                if answer.status_code == 401 and not was_renewed and self.renew_token(used):
                    was_renewed = True
                    continue
                refusal = self.refused(answer)
                if not attempts.wants_another(answer.status_code, refusal.code):
                    if attempts.hides(answer.status_code):
                        raise attempts.error(str(refusal)) from refusal
                    raise refusal
                said, why = answer.headers.get("retry-after"), str(refusal)
            pause = attempts.pause(time.monotonic(), said)
            if pause is None:
                raise attempts.error(why)
            await anyio.sleep(pause)

    async def _request(self, call: Call, credentials: dict[str, str]) -> httpx.Response:
        return await self.http.request(
            call.method, call.path, params=call.query, content=call.body,
            headers={**call.all_fields, **credentials})

    async def json(self, call: Call) -> Any:
        answer = await self.send(call)
        try:
            return self.loads(answer.content)
        except ValueError as error:
            # The response is from a proxy.
            attempts = Attempts(call, 0, is_unclear=True)
            raise attempts.error("the response is not valid JSON") from error

    def loads(self, text: bytes) -> Any:
        return loads(text, floats=self.floats)

    def refused(self, answer: httpx.Response) -> Problem:
        try:
            said = loads(answer.content)
        except ValueError:
            said = None
        return problem(answer.status_code, said)

    # MARK: Tokens

    def credentials(self) -> dict[str, str]:
        if self.known_token is None:
            self.known_token = self._read_token()
        return {} if self.known_token is None else {"Authorization": f"Bearer {self.known_token}"}

    def _read_token(self) -> str | None:
        if self._token_file is not None:
            return self._token_file.read_text().strip()
        token = self._token() if callable(self._token) else self._token
        return None if token is None else token.strip()

    def renew_token(self, used: Mapping[str, str]) -> bool:
        """Whether a newer token exists than the refused one, which another call may have loaded."""
        if self.credentials() == used:
            self.known_token = self._read_token()
        return self.credentials() != used

    # MARK: Streams

    @asynccontextmanager
    async def stream(
        self, path: str, words: Mapping[str, str], credentials: Mapping[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """The endless response to a request for lines."""
        fields = {"Accept": LINES, **credentials}
        async with self.http.stream(
            "GET", path, params={**words, "heartbeat": _HEARTBEAT}, headers=fields,
            timeout=httpx.Timeout(self.http.timeout.connect, read=_SILENCE_MAX),
        ) as answer:
            yield answer


async def whole_lines(answer: httpx.Response) -> AsyncIterator[bytes]:
    """Complete lines, split at line feeds only, since JSON may have other line separators."""
    begun: list[bytes] = []
    async for part in answer.aiter_bytes():
        *ends, rest = part.split(b"\n")
        for end in ends:
            yield b"".join([*begun, end])
            begun = []
        begun.append(rest)


def _is_unsent(error: httpx.RequestError) -> bool:
    return isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
