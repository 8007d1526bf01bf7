"""Frontmatter: safe, with text as written, and lenient where real skills need it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_skills.frontmatter import FrontmatterError, parse_frontmatter


def parse(yaml: str) -> dict[str, object]:
    return dict(parse_frontmatter(f"---\n{yaml}\n---\nBody\n").data)


def test_scalars_stay_text() -> None:
    assert parse("name: yes\nversion: 1.0\ndate: 2026-01-01\nnothing: null\nempty:") == {
        "name": "yes",
        "version": "1.0",
        "date": "2026-01-01",
        "nothing": "null",
        "empty": "",
    }


def test_lists_and_mappings_are_read_in_both_styles() -> None:
    assert parse("metadata:\n  hermes:\n    tags: [a, 'b: c']\n    more:\n    - x") == {
        "metadata": {"hermes": {"tags": ["a", "b: c"], "more": ["x"]}}
    }


def test_only_a_line_of_exactly_three_dashes_ends_it() -> None:
    front = parse_frontmatter("---\ndescription: has --- inside\ntext: |\n  a\n  ----\n--- \t\r\n---\nBody\n")
    assert front.data["description"] == "has --- inside"
    assert front.data["text"] == "a\n----\n"
    assert front.body == "---\nBody\n"
    assert front.body_line == 7


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &x 1\nb: [*x]",
        "a: [&x 1]",
        "a: {b: !!python/name:os.system }",
        "a: [!x 1]",
        "? [a]\n: b",
        "- a",
        "a: {a: 1, a: 2}",
    ],
)
def test_what_could_mean_more_than_it_says_is_refused(yaml: str) -> None:
    with pytest.raises(FrontmatterError):
        parse_frontmatter(f"---\n{yaml}\n---\n", lenient=False)


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("description: Use when: you deploy", "Use when: you deploy"),
        ("description: *bold* words", "*bold* words"),
        ("description: @mention it's", "@mention it's"),
        ("description: Use when: you\n  deploy: often", "Use when: you deploy: often"),
    ],
)
def test_a_value_that_needed_quotes_is_read_as_text_and_noted(yaml: str, value: str) -> None:
    front = parse_frontmatter(f"---\nname: x\n{yaml}\nmetadata:\n  a: b\n---\n")
    assert front.data == {"name": "x", "description": value, "metadata": {"a": "b"}}
    (note,) = front.notes
    assert "read as plain text" in note
    with pytest.raises(FrontmatterError):
        parse_frontmatter(f"---\n{yaml}\n---\n", lenient=False)


def test_a_byte_order_mark_is_accepted_and_noted() -> None:
    front = parse_frontmatter("\ufeff---\nname: x\n---\n")
    assert front.data == {"name": "x"}
    assert "byte order mark" in front.notes[0]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("# Title\n---\n", 1, "does not begin"),
        ("---\nname: x\n", 1, "no end"),
        ("---\nname: x\nb: [1\n---\n", 4, "not valid YAML"),
        ("---\nname: x\nname: y\n---\n", 3, "twice"),
        ("---\nname: x\x07\n---\n", 2, "not valid YAML"),
        ("---\nname: '\ud800'\n---\n", 2, "not valid text"),
    ],
)
def test_an_error_names_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(FrontmatterError, match=words) as caught:
        parse_frontmatter(text)
    assert caught.value.line == line


@pytest.mark.parametrize("source", ["[" * 60_000, "a: " + "{a: " * 15_000, "- " * 30_000, "- a\n" * 16_000])
def test_hostile_yaml_is_refused_quickly(source: str) -> None:
    began = time.process_time()
    with pytest.raises(FrontmatterError):
        parse_frontmatter(f"---\n{source}\n---\n")
    assert time.process_time() - began < 5


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        front = parse_frontmatter(text)
    except FrontmatterError:
        return
    assert text.endswith(front.body)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True),
        st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=40),
    )
)
def test_any_quoted_text_is_read_as_it_was_written(data: dict[str, str]) -> None:
    import json

    lines = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items())
    assert parse_frontmatter(f"---\n{lines}---\n").data == data


@given(st.text(alphabet="ab :-#'\"[]{}*&!|>\n\t", max_size=60))
def test_yaml_of_any_shape_is_read_or_refused_with_its_line(source: str) -> None:
    line = 1
    try:
        parse_frontmatter(f"---\n{source}\n---\n")
    except FrontmatterError as error:
        line = error.line
    assert 1 <= line <= source.count("\n") + 3
