"""Any value is read as plain JSON, but never for longer or more than is allowed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from hermes_schemas import plain_values
from hermes_schemas.path_lines import spread_out
from hermes_schemas.plain_values import PlainReader


def reader(seconds: float = 60, foreign: Exception | None = None) -> PlainReader:
    return PlainReader(seconds, str, TimeoutError("late"), foreign)


def test_containers_and_generators_become_plain() -> None:
    value = {1: (each for each in (1, "two")), "set": {3}, "leaf": 4j}
    plain = PlainReader(60, lambda leaf: {"1": None} if leaf == {1: None} else repr(leaf), TimeoutError()).read(value)
    assert plain == {"1": [1, "two"], "set": [3], "leaf": "4j"}


def test_what_has_no_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_values, "MAX_ITEMS", 100)
    reading = reader()
    assert reading.read(count()) == list(range(100))
    assert reading.cut


def test_what_takes_too_long_is_late() -> None:
    def slow() -> Iterator[int]:
        while True:
            time.sleep(0.02)
            yield 1

    with pytest.raises(TimeoutError):
        reader(0.1).read(slow())


def test_foreign_code_runs_only_where_it_may() -> None:
    for value in (iter([1]), {"deep": iter([1])}):
        with pytest.raises(PermissionError):
            reader(foreign=PermissionError()).read(value)
        assert reader().read({"again": [1]}) == {"again": [1]}


def test_a_value_that_contains_itself_is_an_error() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="contains itself"):
        reader().read(value)


def test_json_is_spread_out_with_its_numbers_as_they_are() -> None:
    assert spread_out('{"a": [1.000, {}], "b": "x, y"}') == '{\n "a": [\n  1.000,\n  {}\n ],\n "b": "x, y"\n}'
