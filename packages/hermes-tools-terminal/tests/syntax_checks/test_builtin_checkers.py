"""What is found wrong with texts, and by whom."""

from __future__ import annotations

import sys
import threading
import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.syntax_checks.problem import Problem

from .conftest import check

NAMES = ["a.py", "a.json", "tsconfig.json", "a.yaml", "a.toml", "a.ipynb"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "def f():\n    return 1\n"),
        ("a.py", ""),
        ("A.PY", "\ufeffx = 1"),
        ("a.pyi", "def f(x: int = ...) -> None: ..."),
        ("a.py", 'x = "\\d" is 1\nassert (x, 1)\n'),
        ("a.json", '{"a": [1, 2.5e3, null, "\\u00e9"]}'),
        ("a.json", '{"a": ' + "1" * 10_000 + "}"),
        ("a.ipynb", '{"cells": []}'),
        ("tsconfig.json", '{\n  // why\n  "a": "x // y", /* b\n */ "c": [1, 2,],\n}\n'),
        ("tsconfig.build.json", "{} // x"),
        ("p/.vscode/settings.json", "{} // x"),
        ("a.jsonc", '{"a": "\\"//", // x\n}'),
        ("a.yaml", "a: 1\nb: [x, y]\n---\nc: !custom {d: &x 1, e: *x}\n"),
        ("a.yml", "!!python/object/apply:os.system ['false']"),
        ("a.yaml", "run: echo ${{ github.ref }}\n"),
        ("a.yaml", ""),
        ("a.toml", 'a = 1\n[b]\nc = "x"\nd = 1979-05-27\n'),
    ],
)
def test_what_is_right_is_found_right(name: str, text: str) -> None:
    if name.endswith("ml") and not name.endswith(".toml"):
        pytest.importorskip("yaml")
    assert check(name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "message"),
    [
        ("a.py", "def f(:\n    pass\n", 1, 7, "invalid syntax"),
        ("a.py", "x = 1\nif x:\npass\n", 3, 1, "expected an indented block"),
        ("a.py", "x = (1,\n", 1, 5, "never closed"),
        ("a.py", "x = '\ud800'\ny", 1, 0, "encode"),
        ("a.py", "x = 1\0", 1, 0, "null bytes"),
        ("a.json", '{"a": 1, b}', 1, 10, ""),
        ("a.json", '{\n  "a": 1 // x\n}', 2, 10, "Expecting"),
        ("a.json", "", 1, 1, "Expecting value"),
        ("package.json", "{'a': 1}", 1, 2, "double quotes"),
        ("tsconfig.json", '{\n  // x\n  "a" 1\n}', 3, 7, "Expecting ':'"),
        ("tsconfig.json", '{"a": "x', 1, 7, "Unterminated string"),
        ("a.yaml", "a: 1\nb: [1, 2\nc: 3\n", 3, 2, "expected ',' or ']'"),
        ("a.yaml", "a:\n\t- b\n", 2, 1, "cannot start any token"),
        ("a.yaml", "a: *gone\n", 1, 4, "undefined alias 'gone'"),
        ("a.yaml", "a: &x 1\n---\nb: *x\n", 3, 4, "undefined alias 'x'"),
        ("a.yaml", "a: 1\nb: \x01\n", 2, 4, "control characters"),
        ("a.toml", "a = 1\nb = \n", 2, 5, "Invalid value"),
        ("a.toml", "a = 1\na = 2\n", 2, 6, "overwrite"),
        ("a.toml", 'a = 1\nb = """x\n', 2, 0, "at the end of the file"),
    ],
)
def test_what_is_wrong_is_found_with_its_place(name: str, text: str, line: int, column: int, message: str) -> None:
    if name == "a.yaml":
        pytest.importorskip("yaml")
    found = check(name, text)

    assert found is not None
    (problem,) = found
    assert problem.line == line
    assert problem.column == column or "null" in message  # Pythons differ in whether they know where a zero byte is
    assert message in problem.message


def test_yaml_is_checked_without_its_quick_reader_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    yaml = pytest.importorskip("yaml")
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)

    assert check("a.yaml", "a: !x [1, 2]\n---\nb: 1\n") == []
    assert [problem.line for problem in check("a.yaml", "a: 1\nb: [1, 2\nc: 3\n") or []] == [3]
    assert [problem.line for problem in check("a.yaml", "a: 1\nb: \x01\n") or []] == [2]
    assert check("a.yaml", "a: 1\n" * 50_000) is None


def test_yaml_is_not_checked_where_nobody_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)

    assert check("a.yaml", "a: [") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "x"),
        ("Makefile", "x"),
        ("a.jsonl", "{}\n{}"),
        ("a.pl", "x"),
        ("a.ts", "x"),
        ("a.js", "x"),
        ("a.py", "-" * 100_000 + "1"),
        ("a.py", "a" + ".a" * 100_000),
        ("a.py", "x = 1\n" * 500_000),
        ("a.json", "[" * 100_000),
        ("a.yaml", "[" * 100_000),
        ("a.yaml", "{a: " * 100_000),
        ("a.yaml", "name: {{ .Values.name }}\n{{- if x }}\n"),
        ("a.yaml", "{% if a %}\na: [\n{% endif %}\n"),
        ("a.toml", "a=" + "[" * 100_000),
        ("a.toml", "a" + ".a" * 100_000 + " = 1"),
        ("a.toml", "a = " + "1" * 10_000),
    ],
)
def test_where_nobody_can_tell_nothing_is_said(name: str, text: str) -> None:
    assert check(name, text) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tsconfig.json", '"' + '\\"' * 300_000),
        ("tsconfig.json", "/*" * 300_000),
        ("tsconfig.json", "," * 300_000),
        ("tsconfig.json", '"' * 300_001),
        ("a.json", '{"a":' * 900),
        ("a.yaml", "- " * 100_000),
        ("a.yaml", "".join(f"%TAG !a{at}! x\n" for at in range(50_000)) + "---\n"),
        ("a.py", "f(**{'a':[" * 60),
        ("a.py", "'''" * 100_001),
        ("a.toml", "[[a.b]]\n" * 20_000),
    ],
)
def test_hostile_texts_are_answered_in_time(name: str, text: str) -> None:
    started = time.process_time()
    found = check(name, text)

    assert found is None or all(problem.line >= 1 for problem in found)
    assert time.process_time() - started < 20  # what is not linear would take minutes


@given(st.sampled_from(NAMES), st.one_of(st.text(), st.text(alphabet="ab01:{}[]\",#'/*\\&!|>-=. \n\t%")))
@settings(deadline=None)  # a busy machine is no failure
def test_no_text_raises(name: str, text: str) -> None:
    found = check(name, text)

    assert found is None or all(1 <= problem.line <= text.count("\n") + 2 for problem in found)


def test_threads_that_check_at_once_leave_the_warnings_as_they_are() -> None:
    before = [each for each in warnings.filters if "hermes" not in str(each[3])]
    found: list[list[Problem] | None] = []

    def work() -> None:
        found.extend(check("a.py", 'x = "\\d"\n') for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [[]] * 160
    assert [each for each in warnings.filters if "hermes" not in str(each[3])] == before
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compile('x = "\\d"\n', "elsewhere.py", "exec")
    assert [each.filename for each in caught] == ["elsewhere.py"]  # elsewhere they are what they were
