from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pytest

from versiond import dumps, loads


def some_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(9 if depth < 4 else 7)
    if kind == 7:
        return [some_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 8:
        return {f"k{i}": some_value(chance, depth + 1) for i in range(chance.randrange(4))}
    number = Decimal(chance.randrange(-10**30, 10**30)).scaleb(chance.randrange(-40, 40))
    return [
        None, True, False, chance.randrange(-10**40, 10**40), number, "a\u2028\"\\\n\U0001f600",
        -0.1,
    ][kind]


@pytest.mark.parametrize("seed", range(200))
def test_what_is_written_is_read(seed: int) -> None:
    value = some_value(random.Random(seed))
    text = dumps(value)
    again = loads(text)
    assert dumps(again) == text
    assert again == value or b"-0.1" in text


@pytest.mark.parametrize("text", [
    "0.1", "123456789012345678901234567890.123456789", "1E+400", "-0", "-0.0", "1e-400", "9" * 5000,
    "1.00",
])
def test_every_digit_stays(text: str) -> None:
    assert Decimal(dumps(loads(text)).decode()).compare_total(Decimal(text)) == 0 or text == "-0"


@pytest.mark.parametrize("value", [
    float("nan"), Decimal("Infinity"), object(), {1: 2}, "\ud800", b"bytes", {"a": {2, 3}},
])
def test_what_json_cannot_say_is_an_error(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        dumps(value)
