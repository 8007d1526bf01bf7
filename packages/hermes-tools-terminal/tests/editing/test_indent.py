"""New lines get the indent of those that they replace."""

from __future__ import annotations

import pytest

from hermes_tools_terminal.editing.indent import reindented


@pytest.mark.parametrize(
    ("old", "region", "new", "expected"),
    [
        pytest.param("a", "a", "  b", "  b", id="the same indent changes nothing"),
        pytest.param("a\n  b", "    a\n      b", "c\n  d\n    e", "    c\n      d\n        e", id="deeper"),
        pytest.param("    a\n      b", "a\n  b", "    c\n      d", "c\n  d", id="less deep"),
        pytest.param("  a", "\ta", "  b\n    c", "\tb\n\t  c", id="tabs"),
        pytest.param("if a:\n  b", "if a:\n\tb", "if c:\n  d\n  e", "if c:\n\td\n\te", id="other steps, same base"),
        pytest.param("    a", "  a", "b", "  b", id="a line with less indent begins where the file's does"),
        pytest.param("\n  a", "\n    a", "\n  b\n\n  c", "\n    b\n\n    c", id="blank lines say nothing and stay"),
        pytest.param("a\n  b\n  c", "  a\n      b\n    c", "  x", "    x", id="contradictions fall back to the base"),
        pytest.param("  a", "    a", "", "", id="nothing new"),
    ],
)
def test_new_lines_are_indented_like_the_file(old: str, region: str, new: str, expected: str) -> None:
    assert reindented(old, region, new) == expected
