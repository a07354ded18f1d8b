"""Starts a daemon, and asks it for something."""

import http.client
import json
import re
import subprocess
import threading

from check import require


def port_in(log):
    """The port in a daemon's log, once its line is whole; otherwise `None`."""
    found = re.search(r" listens on http://127\.0\.0\.1:(\d+)\s", log)
    return int(found[1]) if found else None


def serve(binary, directory, **options):
    """A daemon on a free port; returns its process and the port. `options` are those of a process."""
    process = subprocess.Popen(
        [binary, "serve", "--directory", directory, "--port", "0"],
        stderr=subprocess.PIPE, text=True, **options)
    text = ""
    while port_in(text) is None:
        text = process.stderr.readline()
        assert text, "the daemon does not start"
    # Reads the rest of its output, so that it never blocks on a full pipe.
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process, port_in(text)


def get(port, path):
    """The response of a daemon; it must not refuse."""
    found = get_or_none(port, path)
    require(found is not None, path, "on port", port, "is unknown")
    return found


def get_or_none(port, path):
    """The same; `None` if there is nothing."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request("GET", path)
    response = line.getresponse()
    text = response.read()
    if response.status == 404:
        return None
    require(response.status == 200, path, "on port", port, response.status, text[:200])
    return json.loads(text)
