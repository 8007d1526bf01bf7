"""One entry changes; every other line, comment and quote stays as its author wrote it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_files import FileError
from hermes_files.yaml_document import parse_document
from hermes_files.yaml_edit import remove_entry, set_entry

FILE = Path("config.yaml")


def put(text: str, key: str, value: Any) -> str:
    return set_entry(parse_document(FILE, text), tuple(key.split(".")), value)


def drop(text: str, key: str) -> str:
    return remove_entry(parse_document(FILE, text), tuple(key.split(".")))


SAMPLE = """\
# My settings.

plugins:
    disabled: [dice]   # too loud
# about the web
web:
    "backend": 'tavily'  # the # best

    retry:
        count: 5
    hosts:
    - a
    - b
    # the end of web

calls: {timeout: 60, hook_timeout: 2}  # seconds
text: |
    line one

    line two

# about the last
last: 1
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("web.backend", "brave", """    "backend": 'tavily'  # the # best""", "    backend: brave  # the # best"),
        ("web.retry.count", 7, "        count: 5", "        count: 7"),
        ("web.retry.wait", 1.5, "        count: 5", "        count: 5\n        wait: 1.5"),
        ("web.hosts", ["c"], "    hosts:\n    - a\n    - b", "    hosts:\n    - c"),
        ("web.hosts", "none", "    hosts:\n    - a\n    - b", "    hosts: none"),
        ("web.new", {"x": 1}, "    - b\n", "    - b\n    new:\n      x: 1\n"),
        ("plugins.disabled", [], "disabled: [dice]   # too", "disabled: []   # too"),
        ("calls.timeout", 9, "{timeout: 60,", "{timeout: 9,"),
        ("calls.approval_timeout", 9, "hook_timeout: 2}", "hook_timeout: 2, approval_timeout: 9}"),
        ("text", "short", "text: |\n    line one\n\n    line two\n\n", "text: short\n"),
        ("last", 2, "last: 1", "last: 2"),
        ("fresh", 1, "last: 1\n", "last: 1\nfresh: 1\n"),
        ("deep.er.est", True, "last: 1\n", "last: 1\ndeep:\n  er:\n    est: true\n"),
    ],
)
def test_setting_changes_its_own_lines_only(key: str, value: Any, old: str, new: str) -> None:
    assert old in SAMPLE
    assert put(SAMPLE, key, value) == SAMPLE.replace(old, new)


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("web.backend", """    "backend": 'tavily'  # the # best\n""", ""),
        ("web.retry.count", "    retry:\n        count: 5\n", ""),
        ("web.hosts", "    hosts:\n    - a\n    - b\n", ""),
        ("calls.timeout", "{timeout: 60, hook_timeout: 2}", "{hook_timeout: 2}"),
        ("plugins.disabled", "plugins:\n    disabled: [dice]   # too loud\n", ""),
        ("last", "last: 1\n", ""),
    ],
)
def test_removing_takes_its_own_lines_only(key: str, old: str, new: str) -> None:
    assert old in SAMPLE
    assert drop(SAMPLE, key) == SAMPLE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "key", "value", "new"),
    [
        ("", "a.b", 1, "a:\n  b: 1\n"),
        ("# only a comment", "a", 1, "# only a comment\na: 1\n"),
        ("a:\n", "a.b", 1, "a:\n  b: 1\n"),
        ("a:  # why\nc: 2\n", "a.b", 1, "a:  # why\n  b: 1\nc: 2\n"),
        ("a: {}\n", "a.b", 1, "a:\n  b: 1\n"),
        ("a: 1", "b", 2, "a: 1\nb: 2\n"),
        ("a: 1\r\nb: 2\r\n", "a", 3, "a: 3\r\nb: 2\r\n"),
        ("---\na: 1\n", "b", 2, "---\na: 1\nb: 2\n"),
        ("123: {x: 1}\n", "123.x", 2, "123: {x: 2}\n"),
        ("{a: 1}\n", "b", 2, "{a: 1, b: 2}\n"),
        ("a: 1\n", "a", "yes", "a: 'yes'\n"),
        ("a: 1\n", "a", "é\n# x", None),
        ("a: 1\n", "a", "", "a: ''\n"),
        ("a: 1\n", "a", None, "a: null\n"),
        ("a: 1\n", "a", True, "a: true\n"),
        ("x: .nan\na: 1\n", "a", 2, "x: .nan\na: 2\n"),
    ],
)
def test_files_of_every_shape_can_be_changed(text: str, key: str, value: Any, new: str | None) -> None:
    changed = put(text, key, value)
    if new is not None:
        assert changed == new
    data: Any = parse_document(FILE, changed).data
    for step in key.split("."):
        data = data[int(step) if step.isdecimal() else step]
    assert data == value


BRACES = """\
😀: {é: 1}
calls: {  # seconds
  timeout: 60,   # per call
  "hook": {wait: 2, 'odd key': [1, 2]},  # of hooks
  empty: ,
  last: x,
}  # end
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("😀.é", 2, "{é: 1}", "{é: 2}"),
        ("calls.timeout", [1, "a, b"], "timeout: 60,", "timeout: [1, 'a, b'],"),
        ("calls.hook.wait", "on", "{wait: 2,", "{wait: 'on',"),
        ("calls.hook.odd key", "a\nb", "'odd key': [1, 2]", '"odd key": "a\\nb"'),
        ("calls.hook.new.er", 1, "[1, 2]}", "[1, 2], new: {er: 1}}"),
        ("calls.fresh", "{", "last: x,", "last: x, fresh: '{',"),
        ("calls.empty.now", 1, "empty: ,", "empty: {now: 1},"),
    ],
)
def test_within_braces_only_the_entry_changes(key: str, value: Any, old: str, new: str) -> None:
    assert put(BRACES, key, value) == BRACES.replace(old, new)


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("calls.hook.wait", "{wait: 2, 'odd", "{'odd"),
        ("calls.hook.odd key", ", 'odd key': [1, 2]}", "}"),
        ("😀.é", "😀: {é: 1}\n", ""),
    ],
)
def test_within_braces_only_the_entry_is_removed(key: str, old: str, new: str) -> None:
    assert drop(BRACES, key) == BRACES.replace(old, new)


def test_a_value_is_no_section() -> None:
    with pytest.raises(FileError, match="is a value, not a section") as caught:
        put("x: 1\na:\n  b: 5\n", "a.b.c", 1)
    assert (caught.value.key, caught.value.line) == ("a.b", 3)


def test_what_is_shared_through_an_alias_is_not_changed_behind_its_back() -> None:
    with pytest.raises(FileError, match="by hand"):
        put("a: &x {n: 1}\nb: *x\n", "b.n", 2)


def test_what_a_merge_brings_is_set_in_the_section_that_merges_it() -> None:
    changed = parse_document(FILE, put("a: &x\n  n: 1\nb:\n  <<: *x\n  m: 2\n", "b.n", 5)).data
    assert changed == {"a": {"n": 1}, "b": {"n": 5, "m": 2}}


KEYS = st.sampled_from(["a", "b", "c", "on", "1", "x y", "é", "#", "key: odd"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12), st.floats(allow_nan=False))
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
FILES = st.dictionaries(KEYS, TREES, max_size=4)


@settings(max_examples=300, deadline=None)
@given(FILES, st.lists(KEYS, min_size=1, max_size=3), TREES, st.booleans())
def test_any_file_can_be_changed_and_changed_back(data: Any, way: list[str], value: Any, flow: bool) -> None:
    text = "# head\n" + yaml.safe_dump(data, allow_unicode=True, sort_keys=False, default_flow_style=flow) + "# tail\n"
    document = parse_document(FILE, text)
    wanted = copy.deepcopy(document.data)
    inner = wanted
    for step in way[:-1]:
        if inner.get(step) is None:
            inner[step] = {}
        if not isinstance(inner[step], dict):
            return
        inner = inner[step]
    inner[way[-1]] = value
    changed = set_entry(document, tuple(way), value)
    assert parse_document(FILE, changed).data == wanted
    if not flow:
        assert "# head\n" in changed
        assert "# tail\n" in changed
    back = parse_document(FILE, remove_entry(parse_document(FILE, changed), tuple(way))).data
    assert way[-1] not in (back if len(way) == 1 else {})


def test_removing_an_entry_that_is_not_there_changes_nothing() -> None:
    assert drop(SAMPLE, "web.nothing") == SAMPLE
