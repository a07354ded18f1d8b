#!/usr/bin/env python3
"""Generates `_sync` from `_async`, without await. With --check it only compares them."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent / "src/versiond"
WORDS = [
    (r"async with ", "with "), (r"async for ", "for "), (r"async def ", "def "), (r"await ", ""),
    (r"asynccontextmanager", "contextmanager"), (r"\bAsyncIterator\b", "Iterator"),
    (r"httpx\.AsyncClient", "httpx.Client"), (r"httpx\.AsyncBaseTransport", "httpx.BaseTransport"),
    (r"\bAsync(Client|Connection|Document|Feed|Run)\b", r"\1"),
    (r"__aenter__", "__enter__"), (r"__aexit__", "__exit__"), (r"\baclose\b", "close"),
    (r"\baread\b", "read"), (r"\baiter_bytes\b", "iter_bytes"),
    # Synchronous code cannot be cancelled and needs no shield.
    (r"import anyio\n(?=[\s\S]*CancelScope)", "from contextlib import nullcontext\n"),
    (r"anyio\.CancelScope\(shield=True\)", "nullcontext()"), (r"import anyio\n", ""), (r"anyio\.sleep", "time.sleep"),
]
HEAD = "# Generated from ../_async by make_sync.py.\n"


def made(text: str) -> str:
    for word, other in WORDS:
        text = re.sub(word, other, text)
    text = re.sub(r"\n\n\n(import httpx)", r"\n\n\1", text)
    return HEAD + text


def main() -> None:
    wrong = []
    for source in sorted((HERE / "_async").glob("*.py")):
        target = HERE / "_sync" / source.name
        text = made(source.read_text())
        if "--check" in sys.argv:
            if not target.exists() or target.read_text() != text:
                wrong.append(str(target))
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text)
    if wrong:
        sys.exit("not the output of make_sync.py: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
