"""Frozen data reads like the original, and nothing in it can be changed in place."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from hermes_core.tools.readonly import ReadOnlyDict, ReadOnlyList, frozen, thawed

DATA: dict[str, Any] = {"a": 1, "b": [1, {"c": "x"}], "d": {"e": {"f": [None, True, 1.5]}}}


def test_frozen_data_equals_the_original_and_is_json() -> None:
    value = frozen(DATA)
    assert value == DATA
    assert json.dumps(value) == json.dumps(DATA)
    assert isinstance(value, dict)
    assert isinstance(value["b"], list)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 2),
        lambda d: d.__delitem__("a"),
        lambda d: d.update(a=2),
        lambda d: d.setdefault("z", 2),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.clear(),
        lambda d: d.__ior__({"a": 2}),
        lambda d: d["d"]["e"].update(f=1),
        lambda d: d["b"].append(1),
        lambda d: d["b"].extend([1]),
        lambda d: d["b"].insert(0, 1),
        lambda d: d["b"].remove(1),
        lambda d: d["b"].pop(),
        lambda d: d["b"].clear(),
        lambda d: d["b"].sort(),
        lambda d: d["b"].reverse(),
        lambda d: d["b"].__setitem__(0, 2),
        lambda d: d["b"].__setitem__(slice(0, 1), [2]),
        lambda d: d["b"].__delitem__(0),
        lambda d: d["b"].__iadd__([1]),
        lambda d: d["b"].__imul__(2),
        lambda d: d["b"][1].__setitem__("c", "y"),
        lambda d: d["d"]["e"]["f"].append(1),
    ],
)
def test_every_change_is_refused_at_every_depth(change: Callable[[Any], object]) -> None:
    value = frozen(DATA)
    with pytest.raises(TypeError, match="read-only"):
        change(value)
    assert value == DATA


def test_the_original_can_change_without_reaching_the_frozen_data() -> None:
    original = copy.deepcopy(DATA)
    value = frozen(original)
    original["b"][1]["c"] = "changed"
    original["d"]["e"]["f"].append(2)
    original["new"] = 1
    assert value == DATA


def test_frozen_data_is_not_frozen_again() -> None:
    value = frozen(DATA)
    assert frozen(value) is value


def test_mappings_and_tuples_become_dicts_and_lists() -> None:
    value = frozen(MappingProxyType({"a": (1, MappingProxyType({"b": (2,)}))}))
    assert value == {"a": [1, {"b": [2]}]}
    assert isinstance(value, ReadOnlyDict)
    assert isinstance(value["a"], ReadOnlyList)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, thawed, lambda value: value.copy()])
def test_a_copy_can_be_changed_down_to_the_leaves(copied: Callable[[Any], Any]) -> None:
    value = frozen(DATA)
    mine = copied(value)
    mine["b"][1]["c"] = "mine"
    mine["d"]["e"]["f"].append("mine")
    assert type(mine) is dict
    assert type(mine["b"]) is list
    assert value == DATA


def test_copies_of_frozen_lists_can_be_changed() -> None:
    value = frozen([1, [2]])
    for mine in (copy.copy(value), copy.deepcopy(value), value.copy()):
        mine[1].append(3)
    assert value == [1, [2]]


def test_pickling_gives_plain_data() -> None:
    back = pickle.loads(pickle.dumps(frozen(DATA)))
    assert back == DATA
    assert type(back) is dict
    assert type(back["b"]) is list


def test_a_merge_gives_a_new_dict() -> None:
    value = frozen({"a": 1})
    assert value | {"a": 2} == {"a": 2}
    assert value == {"a": 1}


def test_very_deep_data_does_not_exhaust_the_stack() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    value = frozen(deep)
    assert isinstance(value, ReadOnlyList)
    assert isinstance(thawed(value), list)
    while deep:  # taken apart by hand: freeing it in one go is the interpreter's recursion, not ours
        deep = deep.pop()
