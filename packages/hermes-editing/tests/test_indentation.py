"""New lines get the indent that the file has."""

from __future__ import annotations

import pytest

from hermes_editing.indentation import Indents, UnclearIndentError


@pytest.mark.parametrize(
    ("pairs", "indent", "expected"),
    [
        pytest.param([("", "")], "  ", "  ", id="the same indent changes nothing"),
        pytest.param([("", "    "), ("  ", "      ")], "    ", "        ", id="all lines are shifted to the right"),
        pytest.param([("    ", ""), ("      ", "  ")], "        ", "    ", id="all lines are shifted to the left"),
        pytest.param([("    ", "\t"), ("        ", "\t\t")], "            ", "\t\t\t", id="blanks become tabs"),
        pytest.param([("\t", "    ")], "\t\t", "        ", id="tabs become blanks"),
        pytest.param([("  ", "    "), ("    ", "        ")], "      ", "            ", id="narrow steps become wide"),
        pytest.param([("", "\t"), ("  ", "\t  ")], "    ", "\t    ", id="a file that mixes them stays mixed"),
    ],
)
def test_an_indent_follows_the_file(pairs: list[tuple[str, str]], indent: str, expected: str) -> None:
    assert Indents(pairs).of(indent) == expected


@pytest.mark.parametrize(
    ("pairs", "indent"),
    [
        pytest.param([("", "  "), ("", "    ")], "", id="contradiction"),
        pytest.param([("    ", "")], "  ", id="less than the shift"),
        pytest.param([("", "\t")], "    ", id="tabs and blanks in one line"),
        pytest.param([("    ", "\t")], "      ", id="half a tab"),
        pytest.param(
            [("    ", "    "), ("        ", "    ")], "      ", id="different indents are the same in the file"
        ),
    ],
)
def test_what_the_quoted_lines_do_not_show_is_not_guessed(pairs: list[tuple[str, str]], indent: str) -> None:
    with pytest.raises(UnclearIndentError):
        Indents(pairs).of(indent)


def test_the_steps_of_the_file_decide_between_shifting_and_widening() -> None:
    assert Indents([("  ", "    ")], ["  ", "    "], step=lambda: 4).of("    ") == "        "
    assert Indents([("  ", "    ")], ["  ", "    "], step=lambda: 2).of("    ") == "      "


def test_all_new_lines_are_shifted_or_all_are_widened() -> None:
    indents = Indents([(" " * 6, " " * 10)], [" " * 4, ""], step=lambda: 4)

    assert [indents.of(" " * 4), indents.of("")] == [" " * 8, " " * 4]
