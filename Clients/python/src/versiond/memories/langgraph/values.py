"""Python values as JSON, without loss."""

from __future__ import annotations

import copy
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

from langchain_core.messages import BaseMessage, messages_from_dict
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

#: The daemon accepts 128 levels and numbers of 1,024 bytes; the value is inside of others.
_DEPTH_MAX = 100
_BITS_MAX = 3_300
#: The kinds of keys of a dictionary that is written as pairs.
_KEYS = {str, int, float, bool, type(None)}


class Values:
    """Writes values so that a person can read them and equal parts are stored once.

    JSON values stay as they are, and messages are objects with their `id`. The serializer writes
    other values; a serializer other than LangGraph's writes all, since it may encrypt.
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde
        self._is_readable = isinstance(serde, JsonPlusSerializer)

    def encode(self, value: Any, depth: int = _DEPTH_MAX) -> Any:
        if not self._is_readable or depth == 0:
            return self._typed(value)
        kind = type(value)
        if kind is str and _is_unicode(value) or value is None or kind is bool:
            return value
        if kind is dict and all(map(_is_name, value)):
            return {name: self.encode(member, depth - 1) for name, member in value.items()}
        if kind is list or kind is tuple:
            return [self.encode(element, depth - 1) for element in value]
        if kind is int:
            return value if value.bit_length() < _BITS_MAX else {"$int": hex(value)}
        if kind is float and math.isfinite(value):
            return value
        if kind is dict and all(type(name) in _KEYS for name in value):
            pairs = list(value.items())
            return {"$dict": self.encode(pairs, depth - 1)}
        if kind is Decimal:
            return {"$decimal": str(value)}
        if isinstance(value, BaseMessage) and kind.__module__.startswith("langchain_core."):
            fields = value.model_dump(exclude_defaults=True)
            if all(_is_name(name) for name in fields):
                return {"$message": value.type, **self.encode(fields, depth)}
        return self._typed(value)

    def decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decode(element) for element in value]
        if isinstance(value, Decimal):
            return float(value)
        if not isinstance(value, dict):
            return value
        if "$typed" in value:
            return self._serde.loads_typed((value["$typed"], b64decode(value["bytes"])))
        if "$dict" in value:
            return dict(self.decode(value["$dict"]))
        if "$int" in value:
            return int(value["$int"], 16)
        if "$decimal" in value:
            return Decimal(value["$decimal"])
        members = {name: self.decode(member) for name, member in value.items()}
        if "$message" in members:
            kind = members.pop("$message")
            return messages_from_dict([{"type": kind, "data": members}])[0]
        return members

    def encode_checkpoint(self, checkpoint: Checkpoint, parent: Any) -> dict[str, Any]:
        """A checkpoint as JSON. Channels of the same version as in the parent keep its values."""
        versions = checkpoint["channel_versions"]
        known = {} if parent is None else {
            name: value for name, value in parent["channel_values"].items()
            if name in versions and versions[name] == parent["channel_versions"].get(name)}
        channels = {
            name: known[name] if name in known else self.encode(value)
            for name, value in checkpoint["channel_values"].items()}
        return {**_rest(checkpoint), "channel_values": channels}

    def decode_checkpoint(self, state: Any) -> Checkpoint:
        channels = {
            name: self.decode(value) for name, value in state["channel_values"].items()}
        return cast(Checkpoint, {**_rest(state), "channel_values": channels})

    def _typed(self, value: Any) -> dict[str, str]:
        kind, data = self._serde.dumps_typed(value)
        return {"$typed": kind, "bytes": b64encode(data).decode()}


def _rest(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """A checkpoint without its values; a copy, since LangGraph edits the versions in place."""
    return copy.deepcopy({
        name: value for name, value in checkpoint.items() if name != "channel_values"})


def _is_unicode(text: str) -> bool:
    """Whether the text has no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _is_name(name: Any) -> bool:
    """Whether JSON has such names, and no value of this module begins with it."""
    return type(name) is str and not name.startswith("$") and _is_unicode(name)
