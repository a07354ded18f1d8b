from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import Daemon

from versiond import (
    Client, Conflict, Denied, Gone, NotFound, Number, PreconditionFailed, Problem, loads)


def test_the_first_page_of_the_readme(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    menu = client.document("menu")
    assert not menu.exists()
    assert menu.put({"dish": "soup", "price": Decimal("4.50")}).revision == 0
    menu.merge({"price": 5}, label="dearer")
    assert menu.get("/price") == 5
    undone = menu.undo()
    assert undone.change is not None and undone.change.actor == "ada"
    assert menu.get() == {"dish": "soup", "price": Decimal("4.50")}
    assert str(menu.get("/price")) == "4.50"
    assert menu.redo().patch == [{"op": "replace", "path": "/price", "value": 5}]
    assert [change.kind for change in menu.history()] == ["redo", "undo", "append", "create"]
    assert menu.read(at=0).value["price"] == Decimal("4.50")


def test_thirty_digits_go_there_and_back(daemon: Daemon) -> None:
    numbers = [Decimal("1234567890.12345678901234567890"), 10**40, Decimal("1e-300"), -1]
    note = Client(daemon.url).document("numbers/ä b")
    note.put(numbers)
    assert note.get() == numbers
    assert Client(daemon.url, floats=True).document(note.name).get("/0") == 1234567890.1234567


def test_own_undo_leaves_the_work_of_others_alone(daemon: Daemon) -> None:
    ada = Client(daemon.url, actor="ada").document("note")
    bob = Client(daemon.url, actor="bob").document("note")
    ada.put({"a": 1})
    ada.merge({"a": 2})
    bob.merge({"b": 3})
    ada.undo()
    assert bob.get() == {"a": 1, "b": 3}
    bob.undo(shared=True)
    with pytest.raises(Conflict) as caught:
        bob.undo()
        bob.undo()
    assert caught.value.code == "nothing-to-undo"


def test_a_text_that_occurs_once_is_replaced(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="ada").document("note")
    base = note.put({"text": "Hot soup and hot bread, as on every other day"}).revision

    def operation(find: str, text: str) -> list[dict[str, str]]:
        return [{"op": "str_replace", "path": "/text", "find": find, "str": text}]

    made = note.patch(operation("hot bread", "cold bread"))
    assert made.patch == [
        {"op": "str_del", "path": "/text", "pos": 13, "len": 3},
        {"op": "str_ins", "path": "/text", "pos": 13, "str": "cold"}]
    with pytest.raises(Conflict) as caught:
        note.patch(operation("o", "x"))
    assert caught.value.code == "text-not-unique"
    assert caught.value.problem["count"] == len(caught.value.problem["positions"]) == 5
    with pytest.raises(Conflict) as caught:
        note.patch(operation("stew", "x"))
    assert caught.value.code == "text-not-found"
    bob = Client(daemon.url, actor="bob").document("note")
    with pytest.raises(Conflict) as caught:
        bob.patch(operation("hot bread", "warm bread"), base=base)
    assert caught.value.conflicts == ["/text"]
    bob.patch(operation("Hot soup", "Stew"), base=base)
    note.undo()
    assert note.get("/text") == "Stew and hot bread, as on every other day"


def test_a_conflict_says_where_and_with_whom(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="ada").document("note")
    base = note.put({"price": 1}).revision
    Client(daemon.url, actor="bob").document("note").merge({"price": 2})
    with pytest.raises(Conflict) as caught:
        note.merge({"price": 3}, base=base)
    assert caught.value.conflicts == ["/price"] and caught.value.with_revisions == [1]
    assert note.merge({"price": 3}, base=base, conflict="mine").revision == 2
    with pytest.raises(PreconditionFailed) as failed:
        note.merge({"price": 4}, match=0)
    assert failed.value.head == 2
    assert note.merge({"price": 4}, match=2, dry_run=True).raw["dryRun"] is True


def test_edit_of_a_deleted_document_names_the_ways_out(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="ada").document("note")
    note.put({"n": 1})
    note.delete()
    with pytest.raises(Gone, match=r"undelete\(\).*create\(\)") as gone:
        note.edit(lambda value: None, create={"n": 0})
    assert gone.value.code == "document-deleted"
    with pytest.raises(Gone) as plain:
        note.edit(lambda value: None)
    assert "create()" not in str(plain.value)
    assert note.create({"n": 0}).revision == 2


def test_edit_keeps_what_others_do_and_asks_again(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    note, other = client.document("note"), Client(daemon.url, actor="bob").document("note")
    assert note.edit(lambda value: value["items"].append("a"), create={"items": []}).revision == 0
    asked: list[Any] = []

    def count(value: dict[str, Any]) -> dict[str, Any]:
        asked.append(value.get("count"))
        if len(asked) == 1:
            other.merge({"count": 10, "other": True})
        return {**value, "count": (value.get("count") or 0) + 1}

    note.edit(count)
    assert asked == [None, 10]
    assert note.get() == {"items": ["a"], "count": 11, "other": True}
    with pytest.raises(NotFound):
        client.document("missing").edit(lambda value: None)


def test_a_run_that_fails_leaves_nothing(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="importer")
    stock = client.document("stock")
    stock.put({"soup": 1, "bread": 2})
    with pytest.raises(ZeroDivisionError):
        with client.run("nightly") as run:
            run.document("stock").merge({"soup": 7})
            Client(daemon.url, actor="bob").document("stock").merge({"bread": 9})
            run.document("log").put(["made by the run"])
            _ = 1 / 0
    assert stock.get() == {"soup": 1, "bread": 9}
    with pytest.raises(Gone):
        client.document("log").get()
    assert len(run.taken_back) == 1
    with stock.run("weekly") as one:
        one.merge({"soup": 8})
        one.merge({"bread": 7}, label="fresh")
    made = list(stock.history())[:2]
    assert [change.label for change in made] == ["fresh", "weekly"]
    assert {change.actor for change in made} == {one.actor}
    assert stock.get("/soup") == 8
    with pytest.raises(KeyError):
        with client.run("nothing was done"):
            raise KeyError


def test_a_run_has_an_actor_below_the_clients(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="importer")
    client.document("stock").put({"soup": 1})
    with client.run() as run:
        run.document("stock").merge({"soup": 7})
        run.document("stock").copy("copy")
    assert run.actor.startswith("importer/run-")
    [found] = client.runs(below="importer")
    assert (found["run"], found["documentCount"], found["edits"]) == (run.actor, 2, 2)
    assert client.open_run(run.actor, ttl="1m", label="night")["open"]
    with pytest.raises(Problem, match="open"):
        client.undo_all(actor=run.actor)
    client.undo_all(actor=run.actor, close=True)
    assert client.close_run(run.actor) == {"run": run.actor, "open": False}
    assert client.document("stock").get() == {"soup": 1}
    client.redo_all(actor=run.actor)
    assert client.document("copy").get() == {"soup": 7}
    with pytest.raises(ValueError, match="actor"):
        with Client(daemon.url).run():
            pass
    with pytest.raises(ValueError, match="context"):
        client.run().document("stock")


def test_29_all_documents_return_to_a_restore_point(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    for name in ("a/menu", "b"):
        client.document(name).put({"n": 1})
    point = client.set_restore_point("before", prefix="a/", label="prices", key="once")
    for name in ("a/menu", "a/new", "b"):
        client.document(name).put({"n": 2})
    # The lost response of a request that is sent again: it does not move.
    again = client.set_restore_point("before", prefix="a/", label="prices", key="once")
    assert again["cursor"] == point["cursor"]
    earlier = client.set_restore_point("earlier", at="restore-point:before", ttl="1d")
    assert (earlier["cursor"], "expires" in earlier) == (point["cursor"], True)
    assert [one["restorePoint"] for one in client.restore_points()] == ["before", "earlier"]
    assert client.document("b").get(at="restore-point:before") == {"n": 1}
    plan = client.restore_all("restore-point:before", dry_run=True)
    assert (plan.transaction, plan.raw["madeSince"]) == (None, ["a/new"])
    done = client.restore_all("restore-point:before", made="delete", label="back")
    assert [one.document for one in done.changes] == ["a/menu", "a/new"]
    assert client.document("a/menu").get() == {"n": 1}
    assert (client.document("a/new").exists(), client.document("b").get()) == (False, {"n": 2})
    client.delete_restore_point("before")
    with pytest.raises(NotFound) as caught:
        client.restore_all("restore-point:before")
    assert caught.value.code == "unknown-restore-point"


def test_f8_a_run_of_more_edits_than_one_request_takes_back_leaves_nothing(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(daemon.url, actor="importer")
    client.document("many").put({"n": -1})
    asked: list[str] = []
    json = client.connection.json

    def strict(call: Any) -> Any:
        """As the daemon says it of more than 10,000 edits, which take a minute to make."""
        if call.path == "/v1/undo":
            body = loads(call.body)
            asked.append(body["all"].get("since", ",".join(body["documents"])))
            if asked[-1] in ("made,many", "made", "many") and asked.count(asked[-1]) == 1:
                raise Problem(422, {"code": "too-many-changes"})
        return json(call)

    monkeypatch.setattr(client.connection, "json", strict)
    monkeypatch.setattr("versiond._sync.run._EDITS_MAX", 4)
    with pytest.raises(ZeroDivisionError):
        with client.run("import") as run:
            for number in range(10):
                run.document("many").merge({"n": number})
                run.document("made").put([number])
            _ = 1 / 0
    assert client.document("many").get() == {"n": -1}
    with pytest.raises(Gone):
        client.document("made").get()
    assert asked == ["made,many", "made", "7", "3", "made", "many", "8", "4", "many"]


def test_f16_null_stays_null(daemon: Daemon) -> None:
    note = Client(daemon.url).document("null")
    note.put(None)
    note.edit(lambda value: None)
    assert note.get() is None
    note.edit(lambda value: [value])
    assert note.get() == [None]


def test_undo_of_all_that_somebody_did(daemon: Daemon) -> None:
    agent = Client(daemon.url, actor="agent-7").document("note")
    agent.put({"a": 0})
    Client(daemon.url, actor="ada").document("note").merge({"mine": 1})
    for value in range(3):
        agent.merge({f"k{value}": value}, label="run-42")
    assert len(agent.undo_all(actor="agent-7", label="run-42", dry_run=True).patch) == 3
    agent.undo_all(label="run-42", why="wrong", match=4)
    assert next(agent.history()).label == "wrong"
    assert agent.get() == {"a": 0, "mine": 1}
    with pytest.raises(PreconditionFailed):
        agent.redo_all(label="run-42", match=4)
    assert len(agent.redo_all(label="run-42").patch) == 3
    with pytest.raises(Conflict) as caught:
        agent.redo_all(label="run-42")
    assert caught.value.code == "nothing-to-redo"


def run_and_later_work(daemon: Daemon) -> Client:
    """A run in two documents, in each of which bob has edited something new of the run."""
    client = Client(daemon.url, actor="ada")
    agent = Client(daemon.url, actor="agent/run-17")
    bob = Client(daemon.url, actor="bob")
    for name in ("menu", "stock"):
        client.document(name).put({"n": 5})
        agent.document(name).merge({"n": 6, "o": {"v": 1}})
        bob.document(name).merge({"o": {"v": 2}})
    return client


def test_a_conflict_names_all_documents(daemon: Daemon) -> None:
    client = run_and_later_work(daemon)
    with pytest.raises(Conflict) as caught:
        client.undo_all(actor="agent/run-17")
    assert caught.value.skipped == [
        {"document": name, "revision": 1, "conflicts": ["/o/v"], "with": [2]}
        for name in ("menu", "stock")]


def test_an_undo_keeps_places_and_decides_conflicts_by_place(daemon: Daemon) -> None:
    client = run_and_later_work(daemon)
    undone = client.undo_all(
        actor="agent/run-17", keep={"menu": ["/n"]}, match={"menu": 2},
        resolve={"menu": {"/o": "mine"}, "stock": {"/o": "theirs"}})
    assert [one.kept for one in undone.changes] == [["/n"], []]
    assert client.document("menu").get() == {"n": 6}
    assert client.document("stock").get() == {"n": 5, "o": {"v": 2}}
    client.redo_all(actor="agent/run-17", keep={"stock": True})
    assert client.document("menu").get() == {"n": 6, "o": {"v": 2}}
    assert client.document("stock").get("/n") == 5


def test_several_documents_or_none(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    made = client.transact([
        {"document": "a", "value": 1, "noneMatch": "*"}, {"document": "b", "value": 2}])
    assert made.transaction is not None and len(made.changes) == 2
    with pytest.raises(PreconditionFailed):
        client.transact([{"document": "a", "value": 3}, {"document": "b", "value": 4, "match": 7}])
    assert client.document("a").get() == 1
    client.undo_all(transaction=made.transaction)
    with pytest.raises(Gone):
        client.document("a").get()
    client.redo_all(transaction=made.transaction)
    assert client.document("b").get() == 2
    assert [one.name for one in client.documents()] == ["a", "b"]


def test_a_draft_is_merged(daemon: Daemon) -> None:
    menu = Client(daemon.url, actor="ada").document("menu")
    menu.put({"price": 1})
    draft = menu.draft("spring")
    draft.merge({"price": 2})
    menu.merge({"dish": "soup"})
    assert draft.origin()["ahead"]["edits"] == 1
    assert [one["document"] for one in menu.drafts()] == ["menu~spring"]
    draft.update()
    assert draft.get() == {"price": 2, "dish": "soup"}
    draft.merge_into_origin(label="spring")
    assert menu.get() == {"price": 2, "dish": "soup"}


def test_all_drafts_of_a_prefix_are_merged_and_undone_as_one_step(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    for name in ("menu", "stock"):
        client.document(name).put({"n": 1})
        client.document(name).copy(f"spring~/{name}").merge({"n": 2})
    made = client.merge_drafts("spring~/", label="spring", match={"menu": 0}, end=True)
    assert [one.document for one in made.changes] == ["spring~/menu", "spring~/stock"]
    assert made.transaction == "menu@1" and client.document("stock").get() == {"n": 2}
    assert not client.document("spring~/menu").exists()
    client.undo_all(transaction=made.transaction)
    assert client.document("menu").get() == {"n": 1}
    client.document("stock").merge({"n": 3})
    with pytest.raises(Conflict) as caught:
        client.merge_drafts("spring~/")
    assert [one["document"] for one in caught.value.skipped] == ["spring~/stock"]
    assert client.merge_drafts("spring~/", "draft", dry_run=True).transaction is None


def test_names_states_and_the_past(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="Jürgen/ß")
    menu = client.document("a/b, c")
    menu.put({"price": 1})
    menu.tag("lunch")
    menu.merge({"price": 2})
    menu.snapshot("monday")
    assert menu.get("/price", at="tag:lunch") == 1
    assert menu.diff("tag:lunch") == [{"op": "replace", "path": "/price", "value": 2}]
    assert menu.blame("/price")["document"] == menu.name
    assert [tag["tag"] for tag in menu.tags()] == ["lunch"]
    menu.restore("tag:lunch", ["/price"])
    menu.goto("version:0")
    assert menu.set({"debounce": "500ms"}).change is not None
    assert menu.settings()["debounce"]["window"] == "500ms"
    assert {change.actor for change in client.history(prefix="a/")} == {"Jürgen/ß"}
    assert len(list(menu.versions(limit=1))) == 3
    dinner = menu.rename("dinner")
    dinner.copy("supper", at=0)
    assert client.document("supper").get() == {"price": 1}
    dinner.delete()
    with pytest.raises(Gone):
        dinner.get()
    dinner.undelete()
    dinner.delete(purge=True)
    assert client.info()["limits"]["mergeRevisionsMax"] > 0


@pytest.mark.parametrize("name", ["a/b, c", "\u00e4+b%20", "x@1", "q?#&="])
def test_any_name_is_copied_drafted_and_renamed(daemon: Daemon, name: str) -> None:
    client = Client(daemon.url, actor="ada")
    document = client.document(name)
    document.put({"v": 1})
    document.merge({"v": 2})
    assert document.copy(name + "-old", at=0).get() == {"v": 1}
    assert document.draft("me").get() == {"v": 2}
    feed = client.follow(documents=[name + "-old"], since=0)
    assert next(feed).document == name + "-old"
    assert document.rename(name + "-new").get() == {"v": 2}


def test_a_token_that_is_over_is_asked_for_again(tmp_path: Path) -> None:
    import subprocess

    from conftest import BINARY

    file = tmp_path / "tokens"

    def token(name: str) -> str:
        made = subprocess.run(
            [BINARY, "token", "create", "--file", file, "--name", name, "--allow", "write"],
            check=True, capture_output=True, text=True)
        return next(word for word in made.stdout.split() if word.startswith("vd_"))

    known = token("importer")
    daemon = Daemon(tmp_path / "data", "--tokens", str(file))
    try:
        tokens = iter(["vd_wrong", known])
        note = Client(daemon.url, token=lambda: next(tokens)).document("note")
        note.put({"a": 1})
        note.merge({"a": 2})
        assert note.undo().change is not None
        assert next(note.history()).actor == "importer"
        (tmp_path / "token").write_text(known + "\n")
        assert Client(daemon.url, token_file=tmp_path / "token").document("note").get("/a") == 1
        with pytest.raises(Denied) as caught:
            Client(daemon.url, token="vd_wrong").document("note").get()
        assert caught.value.status == 401 and caught.value.hint
    finally:
        daemon.stop()


def test_every_problem_has_its_code(daemon: Daemon) -> None:
    note = Client(daemon.url).document("note")
    with pytest.raises(NotFound) as caught:
        note.get()
    assert caught.value.code == "unknown-document" and "unknown-document" in str(caught.value)
    note.put({"a": 1})
    with pytest.raises(Problem) as refused:
        note.patch([{"op": "remove", "path": "/b"}])
    assert refused.value.status == 422 or refused.value.status == 409
    with pytest.raises(ValueError):
        note.merge({"a": float("nan")})


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_a_path_takes_for_something_else_is_refused(daemon: Daemon, name: str) -> None:
    client = Client(daemon.url, actor="ada")
    client.document("note").put(1)
    with pytest.raises(ValueError):
        client.document(name).undo_all(actor="ada")
    with pytest.raises(ValueError):
        client.document("note").tag(name)
    assert client.document("note").get() == 1


def test_a_run_refuses_what_it_could_not_take_back(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    client.document("stock").put({"a": 1})
    with pytest.raises(RuntimeError):
        with client.run("nightly") as run:
            stock = run.document("stock")
            for refused in (
                stock.undo, stock.redo, stock.delete, lambda: stock.goto(0),
                lambda: stock.rename("other"), lambda: stock.undo_all(actor="ada"),
            ):
                with pytest.raises(ValueError):
                    refused()
            stock.copy("copy").merge({"b": 1})
            stock.draft("mine").merge({"b": 1})
            raise RuntimeError
    assert stock.get() == {"a": 1}
    for name in ("copy", "stock~mine"):
        with pytest.raises(Gone):
            client.document(name).get()


def test_undo_needs_somebody_whose_it_is(daemon: Daemon) -> None:
    Client(daemon.url, actor="bob").document("note").put({"a": 1})
    Client(daemon.url, actor="bob").document("note").merge({"a": 2})
    with pytest.raises(ValueError):
        Client(daemon.url).document("note").undo()
    named = Client(daemon.url, headers={"Versiond-Actor": "eve"}).document("note")
    with pytest.raises(Conflict):
        named.undo()
    assert named.get() == {"a": 2}


def test_edits_take_the_options_that_they_name(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="ada").document("note")
    note.edit(lambda value: None, create={"a": 1}, tag="first", group="g")
    note.edit(lambda value: {"a": 2}, tag="second", group="g", label="why")
    assert [tag["tag"] for tag in note.tags()] == ["second"]
    note.untag("second")
    assert note.tags() == []


def test_a_number_with_a_huge_exponent_is_kept(daemon: Daemon) -> None:
    client = Client(daemon.url)
    note = client.document("huge")
    note.put({"v": Number("1E99999999999999999999")})
    assert note.get("/v") == Number("1E99999999999999999999")
    assert next(client.follow(since=0)).document == "huge"


def test_changes_record_who_asked_the_actor_for_them(daemon: Daemon) -> None:
    note = Client(daemon.url, actor="agent", prompt_by="Jürgen/ß").document("note")
    note.put({"a": 1})
    note.merge({"a": 2})
    note.undo()
    Client(daemon.url, actor="ada").document("note").merge({"b": 1})
    assert [change.prompt_by for change in note.history()] == [None, *["Jürgen/ß"] * 3]


def test_runs_are_listed_and_reviewed(daemon: Daemon) -> None:
    client = Client(daemon.url, actor="ada")
    for number in range(101):
        client.document(f"runs/{number:03}").put({"n": number})
    agent = Client(daemon.url, actor="agent/run-17", prompt_by="ada")
    for number in range(101):
        agent.document(f"runs/{number:03}").merge({"n": -1})
    run, = client.runs(prefix="runs/", below="agent", prompt_by="ada")
    assert (run["run"], run["edits"], run["effect"]) == ("agent/run-17", 101, "all")
    documents = client.review("agent/run-17", prefix="runs/")["documents"]
    assert [one["document"] for one in documents] == [f"runs/{n:03}" for n in range(101)]
    assert documents[7]["places"] == [
        {"path": "/n", "outcome": "reverts", "value": -1, "reverted": 7}]
