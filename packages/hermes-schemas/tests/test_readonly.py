"""Frozen data reads like the original, and nothing in it can be changed in place."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from hermes_schemas.readonly import ReadOnlyDict, ReadOnlyList, frozen, thawed

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


def test_data_in_which_every_part_holds_the_next_one_twice_is_walked_once() -> None:
    """Walked along every path it would have more parts than there are atoms."""
    tall: dict[str, Any] = {"leaf": 1}
    for _ in range(150):
        tall = {"left": tall, "right": [tall]}
    value = frozen(tall)
    assert value["left"] is value["right"][0]
    mine = thawed(value)
    mine["left"]["left"] = "mine"
    assert value["left"]["left"] != "mine"


def test_data_that_holds_itself_comes_to_an_end() -> None:
    circle: dict[str, Any] = {}
    circle["left"] = circle["right"] = circle
    value = frozen(circle)
    with pytest.raises(TypeError):
        value["left"]["right"]["left"] = 1
    assert isinstance(thawed(value), dict)


def test_parts_that_are_made_on_the_way_are_not_mistaken_for_each_other() -> None:
    class Fresh(Mapping[str, Any]):
        """Makes each value when it is asked for, so that the same memory serves one after the other."""

        def __getitem__(self, key: str) -> Any:
            return [[key]]

        def __iter__(self) -> Iterator[str]:
            return iter(map(str, range(100)))

        def __len__(self) -> int:
            return 100

    assert frozen(Fresh()) == {str(number): [[str(number)]] for number in range(100)}
