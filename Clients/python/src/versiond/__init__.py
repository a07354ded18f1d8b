"""Durable, shared undo history for any JSON document: the client of versiond.

    from versiond import Client

    menu = Client("http://localhost:8080").document("menu")
    menu.put({"dish": "soup", "price": 4})
    menu.merge({"price": 5}, label="dearer")
    menu.undo()

`Client` blocks, `AsyncClient` is the same with await.
"""

from ._async.client import AsyncClient
from ._async.document import AsyncDocument
from ._async.run import AsyncRun
from ._errors import (
    Conflict, Denied, Gone, NotFound, PreconditionFailed, Problem, StreamEnded, Unavailable,
    Uncertain, VersiondError)
from ._json import Number, dumps, loads
from ._sync.client import Client
from ._sync.document import Document
from ._sync.run import Run
from ._types import Change, Event, Listing, Outcome, State, TransactionOutcome

__all__ = [
    "AsyncClient", "AsyncDocument", "AsyncRun", "Change", "Client", "Conflict", "Denied",
    "Document",
    "Event", "Gone", "Listing", "NotFound", "Number", "Outcome", "PreconditionFailed", "Problem", "Run",
    "State", "StreamEnded", "TransactionOutcome", "Unavailable", "Uncertain", "VersiondError",
    "dumps", "loads",
]
