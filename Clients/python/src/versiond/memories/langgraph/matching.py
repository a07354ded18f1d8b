"""The conditions of searches, with the meaning that LangGraph's own stores give them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq, "$ne": operator.ne, "$gt": operator.gt, "$gte": operator.ge,
    "$lt": operator.lt, "$lte": operator.le,
}


def is_match(value: Any, wanted: Any) -> bool:
    """Whether a value equals another one, or fulfils its operators; an object may have more."""
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_is_true(name, value, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and all(
            is_match(value.get(name), other) for name, other in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return isinstance(value, (list, tuple)) and len(value) == len(wanted) and all(
            map(is_match, value, wanted))
    return bool(value == wanted)


def _is_true(name: str, value: Any, other: Any) -> bool:
    if name not in _OPERATORS:
        raise ValueError(f"{name} is none of the operators {', '.join(_OPERATORS)}")
    try:
        return _OPERATORS[name](value, other)
    except TypeError:
        # Missing, or of another kind.
        return False


def is_namespace_match(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends with a path, in which `*` is any name."""
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"{condition.match_type!r} is neither prefix nor suffix")
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    return 0 <= start <= len(namespace) - len(path) and all(
        wanted in ("*", name) for wanted, name in zip(path, namespace[start:]))
