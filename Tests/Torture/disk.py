"""The content of a disk after a power cut: only synced data is sure.

Reads the records of disk.c. Unsynced data may be there or not, in part and out of order; a name
is sure when its directory was synced.
"""

import os
import struct

CREATED, WROTE, TRUNCATED, SYNCING, SYNCED, SYNC_FAILED, UNLINKED, RENAMED, MADE = range(1, 10)
HEAD = struct.Struct("<IIQQ")
SECTOR = 512


class File:
    def __init__(self, sure=b""):
        self.sure = bytearray(sure)
        # (position, bytes), or (length, None) for a truncation
        self.unsure = []
        # Data written before a failed sync: no later sync makes it sure.
        self.doomed = []


def apply(contents, position, data):
    if data is None:
        if len(contents) > position:
            del contents[position:]
        else:
            contents.extend(bytes(position - len(contents)))
        return
    if len(contents) < position:
        contents.extend(bytes(position - len(contents)))
    contents[position : position + len(data)] = data


class Disk:
    """Everything below a directory."""

    def __init__(self, root, log):
        self.root, self.log = root, log
        self.restart()

    def restart(self):
        """The present names in the directory are sure."""
        self.files, self.names, self.directories = {}, {}, {}
        # For each directory, in order: (path, file or None)
        self.unsure_names = {}
        for path, _, names in os.walk(self.root):
            self.directories[os.stat(path).st_ino] = path
            for name in names:
                whole = os.path.join(path, name)
                number = os.stat(whole).st_ino
                with open(whole, "rb") as file:
                    self.files[number] = File(file.read())
                self.names[whole] = self.files[number]
        self.syncs = {}
        open(self.log, "wb").close()

    def read(self):
        """Takes what was recorded since. A record that was cut off has not happened."""
        with open(self.log, "rb") as file:
            data = file.read()
        open(self.log, "wb").close()
        at = 0
        while at + HEAD.size <= len(data):
            kind, length, number, position = HEAD.unpack_from(data, at)
            at += HEAD.size
            if at + length > len(data):
                break
            self.note(kind, number, position, data[at : at + length])
            at += length
        # A file may have been made just before the end, and not been recorded.
        for path, _, names in os.walk(self.root):
            for name in names:
                whole = os.path.join(path, name)
                if whole not in self.current_names():
                    self.rename(whole, self.file(os.stat(whole).st_ino))

    def current_names(self):
        names = dict(self.names)
        for changes in self.unsure_names.values():
            names.update(changes)
        return {path: file for path, file in names.items() if file is not None}

    def rename(self, path, file):
        self.unsure_names.setdefault(os.path.dirname(path), []).append((path, file))

    def file(self, number):
        return self.files.setdefault(number, File())

    def note(self, kind, number, position, data):
        if kind == CREATED:
            self.files[number] = File()
            self.rename(data.decode(), self.files[number])
        elif kind in (WROTE, TRUNCATED):
            self.file(number).unsure.append((position, bytes(data) if kind == WROTE else None))
        elif kind == SYNCING:
            place = self.directories.get(number)
            waiting = self.unsure_names.get(place, []) if place else self.file(number).unsure
            self.syncs[position] = (number, len(waiting))
        elif kind in (SYNCED, SYNC_FAILED):
            _, count = self.syncs.pop(position)
            self.sync(number, count, kind == SYNCED)
        elif kind == UNLINKED:
            self.rename(data.decode(), None)
        elif kind == RENAMED:
            old, new = (name.decode() for name in data.split(b"\0"))
            self.rename(new, self.current_names().get(old))
            self.rename(old, None)
        elif kind == MADE:
            self.directories[number] = data.decode()

    def sync(self, number, count, is_done):
        # Other syncs in progress have counted the same list.
        for other, (whose, counted) in self.syncs.items():
            if whose == number:
                self.syncs[other] = (whose, max(0, counted - count))
        place = self.directories.get(number)
        if place:
            changes = self.unsure_names.get(place, [])
            if is_done:
                self.names.update(changes[:count])
                self.unsure_names[place] = changes[count:]
            return
        file = self.file(number)
        before, file.unsure = file.unsure[:count], file.unsure[count:]
        if is_done:
            for position, data in before:
                apply(file.sure, position, data)
        else:
            file.doomed += before

    def cut(self, random):
        """The power fails: writes the content that remains, and restarts from it."""
        survivors = {}
        names = dict(self.names)
        for changes in self.unsure_names.values():
            names.update(changes[: random.randint(0, len(changes))])
        mode = random.choice(["nothing", "all", "first", "some", "torn"])
        for path, file in names.items():
            if file is not None:
                survivors[path] = self.after(file, mode, random)
        for path, _, found in os.walk(self.root):
            for name in found:
                os.unlink(os.path.join(path, name))
        for path, contents in survivors.items():
            with open(path, "wb") as file:
                file.write(contents)
        self.restart()
        return mode

    def after(self, file, mode, random):
        contents = bytearray(file.sure)
        for position, data in file.doomed:
            if random.random() < 0.5:
                apply(contents, position, data)
        writes = file.unsure
        if mode == "nothing":
            writes = []
        elif mode == "first":
            writes = writes[: random.randint(0, len(writes))]
        for position, data in writes:
            if mode in ("some", "torn") and random.random() < 0.4:
                continue
            if mode != "torn" or data is None:
                apply(contents, position, data)
                continue
            for start in range(0, len(data), SECTOR):
                if random.random() < 0.7:
                    apply(contents, position + start, data[start : start + SECTOR])
        return contents
