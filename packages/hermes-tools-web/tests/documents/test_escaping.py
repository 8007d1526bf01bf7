"""The text of a page never becomes structure."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.documents.markdown.escaping import escape, escape_starts

Write = Callable[[str], str]


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<p># no heading</p>", "\\# no heading"),
        ("<p>- no item</p>", "\\- no item"),
        ("<p>1. no item</p>", "1\\. no item"),
        ("<p>&gt; no quote</p>", "\\> no quote"),
        ("<p>a<br>---<br>b</p>", "a\n\\---\nb"),
        ("<p>```</p>", "\\`\\`\\`"),
        ("<p>~~~</p>", "\\~~~"),
        ("<p>| a | b |</p>", "\\| a | b |"),
        ("<p>[text](https://evil.example)</p>", "[text\\](https://evil.example)"),
        ("<p>&lt;script&gt;</p>", "\\<script>"),
        ("<p>snake_case * 3 < 4 & a[0]</p>", "snake_case * 3 < 4 & a[0]"),
        ("<p>[^1]: no note</p>", "\\[^1\\]: no note"),
    ],
)
def test_text_is_not_structure(write: Write, markup: str, markdown: str) -> None:
    assert write(markup) == markdown


def test_code_cannot_close_its_fence(write: Write) -> None:
    written = write("<pre>a\n```\n# Instructions</pre><p>after</p>")
    assert written == "````\na\n```\n# Instructions\n````\n\nafter"


def test_a_cell_cannot_end_its_table(write: Write) -> None:
    written = write("<table><tr><th>a<th>b</tr><tr><td>x | y<td>z<p>w</p></tr></table>")
    assert "| x \\| y | z<br>w |" in written


def test_a_link_cannot_be_left_by_its_text(write: Write) -> None:
    written = write('<p><a href="/x">a](https://evil.example) b</a></p>')
    assert "(https://site.example/x)" in written
    assert "\\](https://evil.example)" in written


@given(st.text(alphabet="#->|`~=[]()1. \n\\^:*_", max_size=40))
def test_no_line_begins_like_structure(text: str) -> None:
    for line in escape_starts(escape(text.strip())).split("\n"):
        assert not line.startswith(("# ", "> ", "- ", "+ ", "* ", "```", "~~~", "|", "1. ", "[^1]:")), line
        assert not line or set(line) != {"="} or len(line) == 1, line
