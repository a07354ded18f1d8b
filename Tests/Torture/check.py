"""The invariants of a history after any faults, checked in the simplest way."""

import bisect
import copy
import re


# The requests that change several documents together.
MANY = ["transact", "undo-run", "redo-run", "restore"]
# The factor of a cut's mark in the numbers after it.
MARK = 10 ** 9


def plain(value):
    """A response with revisions as if the history had never been cut. Positions of feeds count
    from the cut: they are kept, and grow."""
    if isinstance(value, dict):
        return {name: one if name == "cursor" else plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, str):
        return re.sub(r"(?<=@)\d+", lambda found: str(int(found[0]) % MARK), value)
    return value % MARK if type(value) is int and value >= MARK else value


class Broken(Exception):
    pass


def require(condition, *words):
    if not condition:
        raise Broken(" ".join(str(word) for word in words))


def place(tree, tokens):
    for token in tokens:
        tree = tree[int(token)] if isinstance(tree, list) else tree[token]
    return tree


def patched(tree, patch):
    """RFC 6902, as far as responses use it."""
    tree = copy.deepcopy(tree)
    for operation in patch:
        path = [t.replace("~1", "/").replace("~0", "~") for t in operation["path"].split("/")[1:]]
        value = copy.deepcopy(operation.get("value"))
        kind = operation["op"]
        if kind in ("move", "copy"):
            source = [t.replace("~1", "/").replace("~0", "~") for t in operation["from"].split("/")[1:]]
            value = copy.deepcopy(place(tree, source))
            if kind == "move":
                above = place(tree, source[:-1])
                above.pop(int(source[-1]) if isinstance(above, list) else source[-1])
            kind = "add"
        if not path:
            tree = value
            continue
        above, last = place(tree, path[:-1]), path[-1]
        if isinstance(above, list):
            at = len(above) if last == "-" else int(last)
            if kind == "add":
                above.insert(at, value)
            elif kind == "remove":
                above.pop(at)
            else:
                require(at < len(above), "replace of nothing", operation)
                above[at] = value
        elif kind == "remove":
            del above[last]
        else:
            require(kind == "add" or last in above, "replace of nothing", operation)
            above[last] = value
    return tree


class Document:
    """One document, made of its changes: the model."""

    def __init__(self, name):
        self.name, self.changes, self.states = name, [], []
        # The last known state of each version.
        self.versions = {}
        self.version = None

    @property
    def head(self):
        return len(self.changes) - 1

    def add(self, item):
        change, revision = item["change"], item["revision"]
        require(revision == len(self.changes), self.name, "has a gap before revision", revision)
        require(change["revision"] == revision, "a change misnames its revision", item)
        before = self.states[-1] if self.states else None
        kind = change["kind"]
        if kind == "undelete":
            before = next(state for state in reversed(self.states) if state is not None)
        after = None if kind == "delete" else patched(before, item["patch"])
        if kind == "create":
            self.versions = {}
        # An own undo goes to no version: it makes one.
        if kind in ("undo", "redo", "goto") and "version" in change:
            target = change["version"]
            require(target in self.versions, kind, "to a version that was never", item)
            require(
                after == self.versions[target],
                self.name, kind, "at", revision, "does not lead to version", target,
            )
        if kind != "delete":
            self.version = item["version"]
            self.versions[self.version] = after
        self.changes.append(item)
        self.states.append(after)


class History:
    """All documents, in the order of the journal."""

    def __init__(self):
        self.documents, self.items, self.labels = {}, [], {}
        # The transactions, by their names; the parts of one follow each other.
        self.transactions, self.last = {}, None

    def add(self, item):
        item = plain(item)
        if self.items:
            require(item["cursor"] > self.items[-1]["cursor"], "the feed goes back at", item["cursor"])
        self.add_part(item)
        self.items.append(item)
        name = item["document"]
        self.documents.setdefault(name, Document(name)).add(item)
        label = item["change"].get("label")
        if label and not label.startswith("the scope"):
            known = self.labels.setdefault(label, {})
            require(name not in known, label, "was carried out twice in", name)
            known[name] = item
            names = {str(one["change"].get("transaction", {}).get("id")) for one in known.values()}
            require(len(known) == 1 or len(names) == 1, label, "was carried out twice:", names)

    def add_part(self, item):
        part = item["change"].get("transaction")
        if part is None or part["part"] == 1:
            self.require_whole()
        if part is None:
            self.last = None
            return
        if part["part"] > 1:
            is_next = (
                self.last is not None and self.last["id"] == part["id"]
                and self.last["part"] + 1 == part["part"]
                and self.items[-1]["change"]["time"] == item["change"]["time"])
            require(is_next, "a part is not beside the others:", part, self.last)
        self.transactions.setdefault(part["id"], []).append(item)
        self.last = part

    def require_whole(self):
        """The last entry is not a part of a transaction, or the last part of one."""
        last = self.last
        require(last is None or last["part"] == last["count"], "a part without the others:", last)


def check_calls(history, calls):
    """Every answer against the history."""
    history.require_whole()
    for call in calls:
        made = history.labels.get(call.label, {})
        if call.kind in MANY:
            check_transaction(call, made)
            continue
        if call.kind == "merge-draft":
            check_merge(call, made)
            continue
        found = made.get(call.document) or next(iter(made.values()), None)
        if call.is_change and not nothing_done(call):
            require(found is not None, "lost although it was confirmed:", call, call.body)
            require(found["document"] == call.document, "in another document:", call)
            require(found["revision"] == call.revision, "at another revision:", call, found["revision"])
            if call.body and call.body.get("change"):
                require(call.body["patch"] == found["patch"], "another change:", call)
                require(call.body["change"] == found["change"], "another change:", call)
            if call.match is not None:
                require(call.revision == plain(call.match) + 1, "between If-Match and the change:", call)
        elif call.status is not None and 400 <= call.status < 500 and call.status != 499:
            require(found is None, "carried out although it was refused:", call)
        elif call.status == 507:
            require(found is None, "carried out although there was no room:", call)
        if call.kind == "read" and call.status == 200:
            document = history.documents.get(call.document)
            require(
                document and call.revision <= document.head,
                "read, and lost afterwards:", call,
            )
            require(call.body == document.states[call.revision], "never was so:", call)


def check_transaction(call, made):
    """All parts that were confirmed are there, and no others."""
    if call.status == 200:
        # A document in which all stays, or which is gone, is named without a change.
        changes = [one for one in call.body["changes"] if one.get("change") is not None]
        require(len(made) == len(changes), "not all parts, or others:", call, made)
        for one in changes:
            found = made.get(one["document"])
            require(found is not None, "lost although it was confirmed:", call, one["document"])
            require(found["revision"] == one["revision"], "at another revision:", call)
            require(found["patch"] == one["patch"], "another change:", call)
            require(found["change"] == one["change"], "another change:", call)
    elif call.status is not None and (400 <= call.status < 500 or call.status == 507):
        require(not made, "carried out although it was refused:", call)


def check_merge(call, made):
    """The draft's mark and the change of the origin are both there, or neither."""
    if call.status == 200:
        parts = [one for one in (call.body, call.body["origin"]) if one["change"] is not None]
        require(len(made) == len(parts), "half a merge, or another:", call, made)
        for one in parts:
            found = made.get(one["document"])
            require(found is not None, "lost although it was confirmed:", call, one["document"])
            require(found["patch"] == one["patch"], "another change:", call)
            require(found["change"] == one["change"], "another change:", call)
    elif call.status is not None and (400 <= call.status < 500 or call.status == 507):
        require(not made, "carried out although it was refused:", call)


def check_drafts(history):
    """Each mark of a merge has the change of the origin that it names, which names the draft."""
    merges = 0
    for item in history.items:
        place = item["change"].get("into")
        if place is None or item["change"].get("transaction", {}).get("count") != 2:
            continue
        name, _, revision = place.rpartition("@")
        made = history.documents[name].changes[int(revision)]["change"]
        require(
            made.get("from") == f"{item['document']}@{item['revision'] - 1}",
            "a mark of what was not merged:", item, made)
        merges += 1
    return merges


def check_point(history, name, confirmed, point, read):
    """A restore point that was confirmed is there, cuts no transaction, and is in each document the state before
    its position. `read` asks for a document."""
    require(point is not None, "the restore point", name, "is lost")
    position = point["cursor"]
    require(position >= confirmed, "the restore point", name, "was moved back from", confirmed, "to", position)
    before = [item for item in history.items if item["cursor"] <= position]
    after = next((item for item in history.items if item["cursor"] > position), None)
    part = after and after["change"].get("transaction")
    if part and before and part["part"] > 1:
        last = before[-1]["change"].get("transaction")
        require(last is None or last["id"] != part["id"], "the restore point", name, "cuts", part)
    last = {item["document"]: item["revision"] for item in before}
    for document, revision in last.items():
        states = history.documents[document].states
        state = states[revision]
        # A document that is deleted now is not read.
        if state is not None and states[-1] is not None:
            require(read(document) == state, document, "at", name, "is not what it was at", position)


def nothing_done(call):
    if call.kind in MANY:
        return call.revision is None
    return call.body is not None and call.body.get("change") is None


def check_order(history, calls):
    """Linearizability: revisions are an order in which everything happens, between the beginning
    and the end of each call. With revisions in all answers nothing has to be searched for."""
    began = {call.label: call.began for call in calls if call.began is not None}
    by_document = {}
    for call in calls:
        if call.ended is not None and call.revision is not None and call.status < 300:
            by_document.setdefault(call.document, []).append(call)
    for name, group in by_document.items():
        group.sort(key=lambda call: call.ended)
        ends, highest = [], []
        for call in group:
            ends.append(call.ended)
            highest.append(max(call.revision, highest[-1] if highest else -1))
        for call in group:
            before = bisect.bisect_left(ends, call.began)
            known = highest[before - 1] if before else -1
            is_new = call.is_change and not nothing_done(call) and call.retries == 0
            if is_new:
                require(call.revision > known, "older than what was known when it began:", call, known)
            elif call.retries == 0:
                require(call.revision >= known, "stale:", call, known)
            item = history.documents[name].changes[call.revision]
            label = item["change"].get("label")
            if label in began:
                require(began[label] <= call.ended, "seen before it was asked for:", call)


def check_follower(history, follower, start):
    """Every change once, in order, without gaps."""
    expected = [item for item in history.items if item["cursor"] > start]
    got = follower.items
    require(len(got) <= len(expected), follower.shape, "has what nobody stored", got[-1:] )
    for mine, stored in zip(got, expected):
        require(
            mine["cursor"] == stored["cursor"] and mine["change"] == stored["change"]
            and mine["patch"] == stored["patch"],
            follower.shape, "differs from the journal at", mine["cursor"], mine, stored,
        )
