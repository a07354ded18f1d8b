"""JSON that keeps every digit: numbers with a fraction or an exponent are `Decimal`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

_quoted = json.JSONEncoder(ensure_ascii=False).encode

# Python does not parse longer integers (PYTHONINTMAXSTRDIGITS).
_INT_DIGITS_MAX = 4000


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _INT_DIGITS_MAX else Decimal(text)


class Number(str):
    """A number as it was written, whose exponent is too large for `Decimal`."""


def _fraction(text: str) -> Decimal | Number:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Number(text)


def loads(text: str | bytes, *, floats: bool = False) -> Any:
    """Reads JSON; with `floats` numbers are floats, which is faster and loses digits."""
    if floats:
        return json.loads(text)
    return json.loads(text, parse_float=_fraction, parse_int=_integer)


def dumps(value: Any) -> bytes:
    """Writes JSON and keeps all digits of numbers.

    Raises `TypeError` or `ValueError` for values outside JSON: other types, NaN, infinities, half
    of a surrogate pair, keys that are not text.
    """
    parts: list[str] = []
    _write(value, parts.append)
    return "".join(parts).encode()


def _write(value: Any, add: Callable[[str], None]) -> None:
    if isinstance(value, Mapping):
        separator = "{"
        for name, member in value.items():
            if not isinstance(name, str):
                raise TypeError(f"the name of a JSON member must be a str, not {name!r}")
            add(f"{separator}{_quoted(name)}:")
            _write(member, add)
            separator = ","
        add("}" if value else "{}")
    elif isinstance(value, (list, tuple)):
        separator = "["
        for element in value:
            add(separator)
            _write(element, add)
            separator = ","
        add("]" if value else "[]")
    else:
        add(_scalar(value))


def _scalar(value: Any) -> str:
    if type(value) is str:
        return _quoted(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(Decimal(value)) if abs(value) >= 10**_INT_DIGITS_MAX else str(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(value))
    if isinstance(value, (float, Decimal)):
        raise ValueError(f"JSON has no {value}")
    raise TypeError(f"JSON has no {type(value).__name__}")
