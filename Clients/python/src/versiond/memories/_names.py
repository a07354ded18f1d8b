"""Names of documents, and pointers to places in them."""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import quote

#: The longest name that the daemon accepts, in bytes.
_BYTES_MAX = 256


def part(name: str) -> str:
    """A name as one part of a name that `/` divides. `~` would make the document a draft."""
    return quote(name, safe=":|@ ").replace("~", "%7E")


def shortened(name: str) -> str:
    """The name, or a name of the same beginning with a hash where it is too long."""
    if len(name) <= _BYTES_MAX:
        return name
    return name[:_BYTES_MAX - 65] + "-" + sha256(name.encode()).hexdigest()


def pointer(*members: str) -> str:
    """The JSON Pointer of nested members."""
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in members)
