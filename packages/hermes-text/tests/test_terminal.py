"""Text fits a line of a terminal and cannot steer it."""

from __future__ import annotations

import pytest

from hermes_text.terminal import cell_width, clean, cut, reflow, wrap


@pytest.mark.parametrize("text", ["", "a", "word " * 9, "日本語" * 9, "a" * 50])
def test_cut_and_wrapped_text_fits(text: str) -> None:
    assert cell_width(cut(text, 10)) <= 10
    assert all(cell_width(line) <= 10 for line in wrap(text.strip(), 10))
    assert "".join(wrap(text.strip(), 10)).replace(" ", "") == text.replace(" ", "")


def test_text_from_a_plugin_cannot_steer_the_terminal() -> None:
    assert clean("a\x1b[31mred\n\u202eb\x9bc") == "a [31mred b c"
    assert clean("a\u200bb\u2060c\xadd\U000e0041e\U000e0101f\ufe01g") == "abcdefg"
    assert clean("می\u200cخواهم 👩\u200d👧 ❤\ufe0f") == "می\u200cخواهم 👩\u200d👧 ❤\ufe0f"


def test_prose_is_reflowed_and_lists_are_not() -> None:
    text = "A sentence that goes on in\nthe next line.\nShort.\n\n- one item of a list\n- another one\n    code"
    assert reflow(text, 16) == [
        *("A sentence that", "goes on in the", "next line.", "Short.", "", "- one item of a", "list"),
        *("- another one", "    code"),
    ]
    assert reflow(text, 80) == text.split("\n")
