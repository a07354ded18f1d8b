"""Starts a daemon, and asks it for something."""

import http.client
import json
import re
import subprocess
import threading

from check import require


def serve(binary, directory, **options):
    """A daemon on a free port; returns its process and the port. `options` are those of a process."""
    process = subprocess.Popen(
        [binary, "serve", "--directory", directory, "--port", "0"],
        stderr=subprocess.PIPE, text=True, **options)
    text = ""
    while " listens on " not in text:
        text = process.stderr.readline()
        assert text, "the daemon does not start"
    # What else it says is read, so that it never waits for that.
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process, int(re.search(r"127\.0\.0\.1:(\d+)", text).group(1))


def get(port, path):
    """What a daemon answers; it must not refuse."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request("GET", path)
    response = line.getresponse()
    text = response.read()
    require(response.status == 200, path, "on port", port, response.status, text[:200])
    return json.loads(text)
