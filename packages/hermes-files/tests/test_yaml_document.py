"""Reading `config.yaml`: the line of every key, and no file that could mislead or drown the reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_files import FileError
from hermes_files.text_file import MAX_BYTES
from hermes_files.yaml_document import Document, key_of, parse_document, read_document


def parsed(text: str) -> Document:
    return parse_document(Path("config.yaml"), text)


def refused(text: str) -> FileError:
    with pytest.raises(FileError) as caught:
        parsed(text)
    return caught.value


def test_every_key_has_its_line() -> None:
    document = parsed("# top\na: 1\nb:\n  c: [x,\n      y]\n  d:\n    - e: 1\n    - f\n")
    lines = {key_of(steps): line for steps, line in document.lines.items()}
    assert lines == {
        "a": 2,
        "b": 3,
        "b.c": 4,
        "b.c[0]": 4,
        "b.c[1]": 5,
        "b.d": 6,
        "b.d[0]": 7,
        "b.d[0].e": 7,
        "b.d[1]": 8,
    }
    assert document.line_of(("b", "c", 1, "deeper")) == 5
    assert document.line_of(("nothing",)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", 1),
        ("a: 0x1F", 31),
        ("a: 1.5", 1.5),
        ("a: yes", True),
        ("a: 'yes'", "yes"),
        ("a: ~", None),
        ("a:", None),
        ("a: 2024-01-31", "2024-01-31"),
        ("a: |\n  x\n  y\n", "x\ny\n"),
        ("a: >\n  x\n  y\n", "x y\n"),
        ('a: "\\u00e9"', "é"),
        ("a: !!str 5", "5"),
        ("a: {b: [1, {c: d}]}", {"b": [1, {"c": "d"}]}),
        ("a: =", "="),
        ("a: <<", "<<"),
        ("x: &x [1]\na: *x", [1]),
        ("x: &x {b: 1, c: 2}\na: {<<: *x, c: 3}", {"b": 1, "c": 3}),
        ("x: &x {b: 1}\ny: &y {b: 2, d: 4}\na: {<<: [*x, *y]}", {"b": 1, "d": 4}),
    ],
)
def test_values_are_what_yaml_says(text: str, value: Any) -> None:
    assert parsed(text).data["a"] == value


def test_the_fast_and_the_plain_parser_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    text = "a: &x {b: [1, 2]}\nc:\n  - |\n    text\n\n  - *x\n# end\n"
    fast = parsed(text)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert parsed(text) == fast
    assert refused("a: [1\nb: 2\n").line == 2


def test_a_key_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("web:\n  backend: a\n  other: b\n  backend: c\n")
    with pytest.raises(FileError, match="second time; the first is in line 2") as caught:
        read_document(file)
    assert (caught.value.line, caught.value.key) == (4, "web.backend")


def test_every_repeated_key_is_noted() -> None:
    assert [
        (key_of(steps), line, first) for steps, line, first in parsed("a: 1\nb: {c: 1, c: 2}\na: 3\n").repeated
    ] == [
        ("b.c", 2, 2),
        ("a", 3, 1),
    ]


def test_tabs_are_named_as_what_they_are() -> None:
    error = refused("a:\n\tb: 1\n")
    assert error.line == 2
    assert "never with tabs" in str(error)


@pytest.mark.parametrize(
    "text", ["a: &a [*a]", "a: &a {b: *a}", "? [1, 2]\n: x", "? {a: 1}\n: x", "x: &x [1]\n? *x\n: y", "a: !!set {b}"]
)
def test_what_no_settings_need_is_refused_with_its_line(text: str) -> None:
    assert refused(text).line in (1, 2)


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "aliases stand for more than" in str(refused("\n".join(rows)))


def test_a_bomb_of_merges_is_refused_too() -> None:
    rows = ["a0: &a0 {x: 1}"]
    rows += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    assert "aliases stand for more than" in str(refused("\n".join(rows)))


@pytest.mark.parametrize("text", ["a: " + "[" * 200_000, "- " * 200_000 + "x", "a: " + "{b: " * 50_000])
def test_endless_nesting_is_refused_and_does_not_crash_the_parser(text: str) -> None:
    code = (
        "import sys; from pathlib import Path; from hermes_files.yaml_document import parse_document\n"
        "from hermes_files import FileError\n"
        "try: parse_document(Path('c'), sys.stdin.read())\n"
        "except FileError as e: print(e)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, timeout=30, check=True
    )
    assert "nested too deeply" in done.stdout


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    with file.open("wb") as opened:
        opened.truncate(MAX_BYTES * 10_000)  # a sparse file of ten gigabytes
    with pytest.raises(FileError, match="larger than"):
        read_document(file)


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")
    with pytest.raises(FileError, match="pipe"):
        read_document(tmp_path / "config.yaml")


def test_text_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes("a: 1\nb: é\n".encode("latin-1"))
    with pytest.raises(FileError, match="Save the file as UTF-8") as caught:
        read_document(file)
    assert caught.value.line == 2
