"""The real daemon, and a line to it that can be cut."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("VERSIOND", ROOT / ".build/debug/versiond"))


def in_processes(work: Callable[..., None], arguments: list[tuple[Any, ...]]) -> None:
    """Does the work with each of the arguments at once, in processes that must all succeed."""
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=work, args=some) for some in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * len(arguments)


class Daemon:
    def __init__(self, directory: Path, *options: str) -> None:
        self.directory, self.options, self.port = directory, options, 0
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [str(BINARY), "serve", "--port", str(self.port), "--directory", str(self.directory),
             *self.options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"listens on http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        raise AssertionError("the daemon does not start")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(timeout=40)


class Line:
    """A connection to a daemon that can be cut after a number of bytes of a response."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        #: How many connections are cut, and after how many bytes of the daemon's.
        self.cuts, self.after = 0, 0
        #: How long each part of an answer takes.
        self.delay = 0.0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self, times: int, after: int) -> None:
        self.cuts, self.after = times, after

    def _run(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.daemon.port))
            except OSError:
                near.close()
                continue
            for source, target, is_answer in ((near, far, False), (far, near, True)):
                threading.Thread(
                    target=self._pass_on, args=(source, target, is_answer), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        sent = 0
        try:
            while data := source.recv(65536):
                if is_answer and self.cuts and sent + len(data) > self.after:
                    self.cuts -= 1
                    target.sendall(data[:max(0, self.after - sent)])
                    break
                if is_answer and self.delay:
                    time.sleep(self.delay)
                target.sendall(data)
                sent += len(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        self.listener.close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "data")
    yield daemon
    daemon.stop()


@pytest.fixture
def line(daemon: Daemon) -> Iterator[Line]:
    line = Line(daemon)
    yield line
    line.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
