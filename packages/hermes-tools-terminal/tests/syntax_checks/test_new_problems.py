"""What a tool's result says of the syntax after an edit."""

from __future__ import annotations

import pytest

from hermes_tools_terminal.syntax_checks.new_problems import introduced_problems, lint
from hermes_tools_terminal.syntax_checks.problem import Problem

from .conftest import check

GOOD = "def f():\n    return 1\n"
BAD = "def f(:\n    return 1\n"


def test_an_edit_that_breaks_nothing_is_fine() -> None:
    assert lint("a.py", None, GOOD) == {"status": "ok", "output": "", "message": ""}
    assert lint("a.py", BAD, GOOD) == {"status": "ok", "output": "", "message": ""}


@pytest.mark.parametrize("before", [None, GOOD])
def test_what_an_edit_breaks_is_told_with_its_line(before: str | None) -> None:
    found = lint("a.py", before, BAD)

    assert found is not None
    assert found["status"] == "error"
    assert found["output"] == "line 1, column 7: invalid syntax: `def f(:`"
    assert "This edit introduced" in found["message"]


def test_what_was_broken_before_is_not_told_again() -> None:
    found = lint("a.py", BAD, "import x\n\n" + BAD + "\ny = 1\n")

    assert found is not None
    assert found["status"] == "error"
    assert found["output"] == ""
    assert "before this edit" in found["message"]


def test_a_new_problem_before_an_old_one_is_told() -> None:
    found = lint("a.py", "x = 1\n\ny = (2 3)\n", "x = (1 1)\n\ny = (2 3)\n")

    assert found is not None
    assert "line 1" in found["output"]


def test_the_same_problem_on_the_same_words_elsewhere_is_new() -> None:
    assert introduced_problems([Problem(5, 1, "m")], [Problem(2, 1, "m")], "a\nb\nc\nd\nx", "a\nx\nc\nd\nx") == [
        Problem(2, 1, "m")
    ]
    assert introduced_problems([Problem(2, 1, "m")], [Problem(4, 1, "m")], "a\nx\nb", "a\nx\nb\nx") == [
        Problem(4, 1, "m")
    ]


def test_the_same_problem_on_the_same_words_is_an_old_one_wherever_the_edit_moved_it() -> None:
    assert introduced_problems([Problem(2, 1, "m")], [Problem(3, 1, "m")], "a\n  x\nb", "c\nd\nx\ne\nb") == []
    assert introduced_problems([Problem(2, 1, "m")], [Problem(5, 1, "m")], "a\nx\nb", "c\nd\ne\na\nx\nb") == []


def test_files_that_nobody_checks_have_no_result() -> None:
    assert lint("a.txt", None, "x") is None
    assert lint("a.go", None, "x") is None


def test_files_that_cannot_be_checked_say_why() -> None:
    found = lint("a.go", None, "x", lambda argv, text: (127, ""))

    assert found == {"status": "skipped", "output": "", "message": "gofmt is not installed to check it."}
    assert lint("a.json", None, "[" * 100_000) == {
        "status": "skipped",
        "output": "",
        "message": "It is too deeply nested to check.",
    }


def test_an_old_text_that_could_not_be_checked_counts_as_fine() -> None:
    found = lint("a.json", "[" * 100_000, "[")

    assert found is not None
    assert found["output"].startswith("line 1")


def test_many_problems_and_long_lines_are_cut() -> None:
    def run(argv: object, text: str) -> tuple[int, str]:
        return 2, "".join(f"<standard input>:{line}:1: wrong {'x' * 500}\n" for line in range(1, 15))

    found = lint("a.go", None, "y" * 1000 + "\n" * 20, run)

    assert found is not None
    assert found["output"].endswith("and 4 more")
    assert len(found["output"]) < 4000


def test_only_problems_beyond_the_old_ones_are_new() -> None:
    old = [Problem(1, 1, "expected ';' at line 4"), Problem(9, 1, "other")]

    assert introduced_problems(old, [Problem(1, 5, "expected ';' at line 7")]) == []
    assert introduced_problems(old, [*old, Problem(1, 1, "expected ';' at line 4")]) == [old[0]]
    assert introduced_problems(None, old) == old
    assert introduced_problems([], old) == old
    assert introduced_problems(old, []) == []


def test_the_check_is_the_same_with_and_without_an_edit() -> None:
    assert check("a.py", BAD) == [Problem(1, 7, "invalid syntax")]
