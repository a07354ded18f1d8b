from __future__ import annotations

import json
import threading

import anyio
import httpx
import pytest
from conftest import Daemon, Line

from versiond import AsyncClient, Client, Event, Problem, Unavailable, Uncertain


def test_a_change_whose_answer_is_lost_happens_once(daemon: Daemon, line: Line) -> None:
    client = Client(line.url, actor="ada", patience=20)
    note = client.document("note")
    note.put([])
    for after in (0, 1, 40, 200):
        line.cut(2, after)
        client.connection.http.close()
        client = Client(line.url, actor="ada", patience=20)
        client.document("note").patch([{"op": "add", "path": "/-", "value": after}])
    assert Client(daemon.url).document("note").get() == [0, 1, 40, 200]


def test_what_is_not_known_is_said(daemon: Daemon, line: Line) -> None:
    note = Client(line.url, patience=0).document("note")
    line.cut(1, 0)
    with pytest.raises(Uncertain) as caught:
        note.put({"a": 1})
    # Sent again with its key it is the same change.
    assert note.put({"a": 1}, key=caught.value.key).revision == 0
    line.cut(1, 0)
    with pytest.raises(Unavailable):
        Client(line.url, patience=0).document("note").get()


def test_nothing_happens_where_nobody_listens() -> None:
    with pytest.raises(Unavailable) as caught:
        Client("http://127.0.0.1:9", patience=0.2).document("note").put(1)
    assert "nothing was changed" in str(caught.value)


def test_a_daemon_that_is_killed_and_comes_back_is_waited_for(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="ada", patience=60).document("note")
    note.put([])
    daemon.kill()
    back = threading.Timer(0.3, daemon.start)
    back.start()
    assert note.patch([{"op": "add", "path": "/-", "value": 1}]).revision == 1
    back.join()


def test_a_change_whose_answer_takes_too_long_happens_once(daemon: Daemon, line: Line) -> None:
    Client(daemon.url).document("note").put([])
    line.delay = 0.6
    quick = threading.Timer(1.5, lambda: setattr(line, "delay", 0.0))
    quick.start()
    note = Client(line.url, timeout=0.3, patience=20).document("note")
    made = note.patch([{"op": "add", "path": "/-", "value": 1}])
    quick.join()
    assert made.revision == 1 and Client(daemon.url).document("note").get() == [1]


def test_a_feed_on_a_slow_line_has_everything(daemon: Daemon, line: Line) -> None:
    line.delay = 0.02
    note = Client(daemon.url).document("note")
    feed = Client(line.url).follow(since=0)
    for value in range(30):
        note.put({"value": value, "text": "x" * 5_000})
    assert [next(feed).revision for _ in range(30)] == list(range(30))


def test_a_feed_that_is_cut_anywhere_has_everything_once(daemon: Daemon, line: Line) -> None:
    client = Client(daemon.url, actor="ada")
    count = 60
    found: list[Event] = []
    client.document("other").put(0)

    def follow() -> None:
        for event in Client(line.url).follow(prefix="n", since=0):
            found.append(event)
            # Cut in the middle of a line, and again right behind it.
            if len(found) % 5 == 0:
                line.cut(1, 300 + len(found) * 7)
            if len(found) == count:
                return

    follower = threading.Thread(target=follow, daemon=True)
    line.cut(1, 250)
    follower.start()
    note = client.document("note")
    note.put({"text": "\u2028 two lines \u0085"})
    for value in range(1, count):
        note.merge({"count": value, "pad": "x" * (value * 37 % 400)})
        if value == count // 2:
            daemon.kill()
            daemon.start()
    follower.join(timeout=120)
    assert [event.revision for event in found] == list(range(count))
    assert [event.cursor for event in found] == sorted({event.cursor for event in found})


def test_a_feed_of_one_document_goes_on_behind_a_revision(daemon: Daemon) -> None:
    note = Client(daemon.url).document("note")
    for value in range(5):
        note.put(value)
    feed = note.follow(since=2)
    assert [next(feed).revision for _ in range(2)] == [3, 4]
    note.put(9)
    assert next(feed).patch == [{"op": "replace", "path": "", "value": 9}]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_the_same_with_await(daemon: Daemon, anyio_backend: str) -> None:
    async with AsyncClient(daemon.url, actor="ada") as client:
        note = client.document("note")
        await note.put({"a": 1})
        with pytest.raises(RuntimeError):
            async with note.run("fails") as run:
                await run.merge({"a": 2})
                raise RuntimeError
        assert await note.get() == {"a": 1}
        with anyio.move_on_after(0.5):
            async with note.run("is cancelled") as run:
                await run.merge({"a": 3})
                await anyio.sleep(60)
        assert await note.get() == {"a": 1}
        async for event in note.follow(since=-1):
            if event.revision == 2:
                break
        assert [one.name async for one in client.documents()] == ["note"]


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://localhost"])
def test_what_cannot_be_sent_is_an_error_at_once(daemon: Daemon, url: str) -> None:
    with pytest.raises(ValueError):
        Client(url)
    client = Client(daemon.url, token="vd_a\nb")
    with pytest.raises(ValueError):
        client.document("note").put(1)
    with pytest.raises(ValueError):
        next(client.follow())


def answering(*answers: httpx.Response | Exception) -> httpx.MockTransport:
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    return httpx.MockTransport(answer)


@pytest.mark.parametrize("answers", [
    (httpx.ReadError("cut"), httpx.Response(401, json={"code": "token-expired"})),
    (httpx.Response(524), httpx.Response(403, json={"code": "forbidden"})),
    (httpx.Response(200, text="<html>"),),
])
def test_a_refusal_says_nothing_of_an_attempt_before_it(
    answers: tuple[httpx.Response | Exception, ...]
) -> None:
    client = Client("http://x", transport=answering(*answers), patience=5)
    with pytest.raises(Uncertain):
        client.document("note").put(1)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 524, 529])
def test_a_feed_waits_for_what_is_refused_for_now(status: int) -> None:
    change = {"kind": "append", "revision": 3, "time": "2026-01-01T00:00:00Z"}
    event = {"event": "change", "document": "note", "revision": 3, "cursor": 7, "change": change}
    line = json.dumps(event) + "\n"
    feed = Client("http://x", transport=answering(
        httpx.Response(status, text="<html>"), httpx.Response(200, text=line))).follow(since=6)
    assert next(feed).cursor == 7


@pytest.mark.parametrize("status", [400, 403, 404, 410, 501, 505])
def test_a_feed_that_is_refused_for_ever_ends(status: int) -> None:
    with pytest.raises(Problem) as caught:
        next(Client("http://x", transport=answering(httpx.Response(status))).follow())
    assert caught.value.status == status


def test_a_token_that_another_call_has_renewed_is_used() -> None:
    tokens = iter(["old", "new", "newer"])
    client = Client("http://x", token=lambda: next(tokens), transport=answering(
        httpx.Response(401, json={}), httpx.Response(200, json={})))
    used = client.connection.credentials()
    assert client.info() == {}
    # One that was refused with the old token finds the new one.
    assert client.connection.renew_token(used)
    assert client.connection.known_token == "new"
