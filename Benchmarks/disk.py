#!/usr/bin/env python3
"""The bytes of a change on the disk: before packing, and after `versiond pack`.

    Benchmarks/disk.py BINARY [CHANGES]

Three ways to type an English text (its words drawn by a seed), and two forms that are edited:

    letters     each letter a request, each a version of its own
    groups      each letter a request; quick ones are one version (debounce of 1 s)
    two people  two actors type in turn, each in a text of their own, in one document
    form        one field of a form of 12 after the other gets another value (merge patch)
    counter     one number of a document of 40 members goes up

The clock is the daemon's own; pauses between letters are part of the cost, so the real ones are
slept: none here, so real typing takes about one byte more. Prints bytes a change, all tables and
indexes included, beyond what an empty journal takes.

Where the packages loro and pycrdt are installed (PyPI), the same letters are typed into a text of Loro and of Yjs,
and the sizes of their files are shown next to it: a snapshot with all history, and an update with nothing collected. Loro
notes times to the second, and one for letters that are close; Yjs notes none. The whole file counts on both sides.
"""
import http.client
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

WORDS = """the of and a to in is you that it he was for on are as with his they at be this have from or one
had by word but not what all were we when your can said there use an each which she do how their if will up
other about out many then them these so some her would make like him into time has look two more write go see
number no way could people my than first water been call who oil its now find long down day did get come made
may part over new sound take only little work know place year live me back give most very after thing our just
name good sentence man think say great where help through much before line right too mean old any same tell boy
follow came want show also around form three small set put end does another well large must big even such
because turn here why ask went men read need land different home us move try kind hand picture again change""".split()


class Daemon:
    def __init__(self, binary, directory):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--directory", directory], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "VERSIOND_PACKING": "false"})
        for line in self.process.stderr:
            if "listens on" in line:
                self.port = int(line.split("127.0.0.1:")[1].split()[0])
                break
        self.line = http.client.HTTPConnection("127.0.0.1", self.port)

    def request(self, method, path, body, kind="json", actor="ada"):
        self.line.request(method, path, json.dumps(body), {
            "Content-Type": f"application/{kind}", "Versiond-Actor": actor, "Prefer": "return=minimal"})
        answer = self.line.getresponse()
        text = answer.read()
        assert answer.status < 300, text

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def letters(chance):
    """A text as a person types it: letters, now and then a deletion, or a jump elsewhere."""
    length = position = 0
    while True:
        for letter in chance.choice(WORDS) + chance.choice([" "] * 12 + [", ", ". ", "\n"]):
            yield position, 0, letter
            position, length = position + 1, length + 1
        draw = chance.random()
        if draw < 0.06:
            for _ in range(min(position, chance.randint(1, 6))):
                position, length = position - 1, length - 1
                yield position, 1, ""
        elif draw < 0.075:
            position = chance.randint(0, length)
        elif draw < 0.09:
            position = length


def edit(path, position, removed, inserted):
    if removed:
        return [{"op": "str_del", "path": path, "pos": position, "len": removed}]
    return [{"op": "str_ins", "path": path, "pos": position, "str": inserted}]


def typing(daemon, count, query="", paths=("/text",)):
    daemon.request("PUT", "/v1/documents/it", {path[1:]: "" for path in paths})
    for which, *change in typed(count, len(paths)):
        daemon.request("PATCH", "/v1/documents/it" + query, edit(paths[which], *change),
                       "json-patch+json", "ada" if which == 0 else "bob")


def loro_bytes(texts, edits):
    """A snapshot of Loro with the whole history, each edit a commit."""
    import loro
    document = loro.LoroDoc()
    document.set_record_timestamp(True)
    for which, position, removed, inserted in edits:
        text = document.get_text(texts[which])
        if removed:
            text.delete(position, removed)
        else:
            text.insert(position, inserted)
        document.commit()
    return len(document.export(loro.ExportMode.Snapshot()))


def yjs_bytes(texts, edits):
    """An update of Yjs with all that was typed, each edit a transaction."""
    import pycrdt
    document = pycrdt.Doc()
    parts = [document.get(name, type=pycrdt.Text) for name in texts]
    for which, position, removed, inserted in edits:
        if removed:
            del parts[which][position:position + removed]
        else:
            parts[which].insert(position, inserted)
    return len(document.get_update())


def typed(count, typists=1):
    """The edits of `typing`: which text, where, what goes and what comes."""
    chance = random.Random(7)
    sources = [letters(random.Random(seed)) for seed in range(typists)]
    which = 0
    for _ in range(count):
        if chance.random() < 0.05:
            which = chance.randrange(typists)
        yield (which, *next(sources[which]))


def peers(count, typists):
    """The bytes a change of the same letters in other systems."""
    found = []
    for name, measure in (("Loro", loro_bytes), ("Yjs", yjs_bytes)):
        try:
            taken = measure([f"text{number}" for number in range(typists)], typed(count, typists))
        except ImportError:
            continue
        found.append(f"{name} {taken / count:.2f}")
    return ", ".join(found)


def form(daemon, count):
    chance = random.Random(7)
    fields = ["name", "street", "city", "zip", "phone", "mail", "born", "state", "note", "tax", "bank", "kind"]
    daemon.request("PUT", "/v1/documents/it", {field: "" for field in fields})
    for _ in range(count):
        value = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 3)))
        daemon.request("PATCH", "/v1/documents/it", {chance.choice(fields): value}, "merge-patch+json")


def counter(daemon, count):
    daemon.request("PUT", "/v1/documents/it", {f"member{n}": n for n in range(40)})
    for number in range(count):
        daemon.request("PATCH", "/v1/documents/it", {"member7": number}, "merge-patch+json")


KINDS = {
    "letters": typing,
    "groups": lambda daemon, count: typing(daemon, count, "?debounce=1s"),
    "two people": lambda daemon, count: typing(daemon, count, "?debounce=1s", ("/mine", "/yours")),
    "form": form,
    "counter": counter,
}
# How many type, where letters are.
TYPISTS = {"letters": 1, "groups": 1, "two people": 2}


def bodies(directory, table):
    database = sqlite3.connect(directory + "/journal.sqlite")
    found = database.execute(f"SELECT coalesce(sum(length(body)), 0) FROM {table}").fetchone()[0]
    database.close()
    return found


# The columns of `ChangeColumns.swift`, and of the patches in it, which begin at 32, 48 and 64.
COLUMNS = {
    1: "format", 2: "kind", 3: "joins", 4: "tag", 5: "version", 6: "actor", 7: "time", 8: "label", 9: "hash", 10: "extras",
    11: "key", 12: "fingerprint", 13: "kept", 14: "group", 15: "base", 16: "flags", 17: "rest"}
PARTS = ["form", "count", "code", "path", "old", "value", "target", "position", "next position", "removed", "inserted"]


def number(body, place):
    value = shift = 0
    while True:
        byte = body[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place


def streams(body):
    """The bytes that each stream of a segment takes; see `Documentation/Reference/JournalFormat.md`."""
    _, place = number(body, 1)
    whole, place = number(body, place)
    packed, place = number(body, place)
    place += packed or whole
    count, place = number(body, place)
    for _ in range(count):
        which, place = number(body, place)
        whole, place = number(body, place)
        packed, place = number(body, place)
        yield which, packed or whole
        place += packed or whole


def name(which):
    if which < 3:
        return ["shapes", "lifecycles", "sequences"][which]
    column = (which - 3) // 2
    return COLUMNS.get(column) or PARTS[(column - 32) % 16]


def shares(directory, changes):
    """Bytes a change of the columns that take most."""
    database = sqlite3.connect(directory + "/journal.sqlite")
    sums = {}
    for (body,) in database.execute("SELECT body FROM segment"):
        for which, taken in streams(body):
            sums[name(which)] = sums.get(name(which), 0) + taken
    database.close()
    most = sorted(sums.items(), key=lambda item: -item[1])[:6]
    return ", ".join(f"{word} {taken / changes:.2f}" for word, taken in most)


def size(directory):
    return os.path.getsize(directory + "/journal.sqlite")


def empty(binary):
    directory = tempfile.mkdtemp()
    Daemon(binary, directory).stop()
    found = size(directory)
    shutil.rmtree(directory)
    return found


def main():
    binary = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    none = empty(binary)
    print(f"bytes a change, of {count} changes".ljust(36) + "  unpacked    packed: in segments   in checkpoints")
    for kind, make in KINDS.items():
        directory = tempfile.mkdtemp()
        daemon = Daemon(binary, directory)
        make(daemon, count)
        daemon.stop()
        before = size(directory) - none
        subprocess.run([binary, "pack", "--directory", directory], check=True, stdout=subprocess.DEVNULL)
        figures = [before, size(directory) - none, bodies(directory, "segment"), bodies(directory, "checkpoint")]
        print(kind.ljust(36) + "".join(f"{figure / count:{width}.2f}"
                                       for figure, width in zip(figures, (10, 10, 13, 17))))
        whole = f"    whole file {(size(directory)) / count:.2f}"
        others = peers(count, TYPISTS[kind]) if kind in TYPISTS else ""
        print(whole + (f"; the same letters: {others}" if others else ""))
        print("    by column: " + shares(directory, count))
        subprocess.run([binary, "check", "--directory", directory], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(directory)


main()
