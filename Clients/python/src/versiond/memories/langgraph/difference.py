"""The JSON Patch from one checkpoint to the next."""

from __future__ import annotations

from typing import Any

from .._names import pointer


def difference(old: Any, new: Any, *place: str) -> list[dict[str, Any]] | None:
    """The operations; `None` where a list changed before its end, which the daemon compares better.

    Numbers and truth values differ where Python finds them equal: 1, 1.0 and true.
    """
    if is_same(old, new):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        return _of_members(old, new, *place)
    if isinstance(old, list) and isinstance(new, list):
        if len(old) > len(new) or not all(map(is_same, old, new)):
            return None
        return [{"op": "add", "path": pointer(*place, "-"), "value": element}
                for element in new[len(old):]]
    return [{"op": "replace", "path": pointer(*place), "value": new}]


def _of_members(old: Any, new: Any, *place: str) -> list[dict[str, Any]] | None:
    made = [{"op": "remove", "path": pointer(*place, name)} for name in old.keys() - new.keys()]
    for name, member in new.items():
        if name in old:
            inside = difference(old[name], member, *place, name)
            if inside is None:
                return None
            made += inside
        else:
            made.append({"op": "add", "path": pointer(*place, name), "value": member})
    return made


def is_same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        return len(old) == len(new) and all(
            name in new and is_same(member, new[name]) for name, member in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, float):
        return str(old) == str(new)
    return bool(old == new)
