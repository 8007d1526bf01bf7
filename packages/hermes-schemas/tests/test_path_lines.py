"""Equal documents have the same lines, and a diff of the lines shows what changed."""

from __future__ import annotations

import pytest

from hermes_schemas.path_lines import changed_lines, json_lines, quote


def test_every_value_has_a_line_with_its_path() -> None:
    document = {"z": 1.0, "a": {"b c": [1, "x"], "deep": [{"n": None}], "empty": {}}}
    assert json_lines(document, max_chars=100) == [
        "z: 1",
        'a."b c": [1, "x"]',
        "a.deep[0].n: null",
        "a.empty: {}",
    ]


def test_a_diff_shows_only_the_sentence_that_changed() -> None:
    same = "This sentence stays as it is, however much the other one changes from then to now. "
    old, new = (json_lines({"text": f"{same}{last}"}, max_chars=1000) for last in ("Old.", "New."))
    assert changed_lines(old, new) == ['- text: "Old."', '+ text: "New."']
    assert changed_lines(old, old) == []


def test_invisible_characters_are_visible() -> None:
    assert quote("a\u200bb\x1b") == '"a\\u200bb\\u001b"'


@pytest.mark.parametrize("value", [{1}, b"x", float("nan"), "x" * 200, {(1,): 2}, {1: 0, "1": 0}])
def test_what_is_no_json_or_too_long_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="it has|not JSON"):
        json_lines({"value": value}, max_chars=100)
