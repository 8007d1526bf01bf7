"""Tables are tables, and what is only layout is not."""

from __future__ import annotations

from collections.abc import Callable

Write = Callable[[str], str]


def test_a_table_has_its_heads_and_rows(write: Write) -> None:
    written = write("<table><caption>Fish</caption><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>")
    assert written == "Fish\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_spans_are_filled(write: Write) -> None:
    written = write(
        "<table><thead><tr><th rowspan=2>N<th colspan=2>G</tr><tr><th>x<th>y</tr></thead>"
        "<tr><td rowspan=2>r<td>1<td>2</tr><tr><td>3<td>4</tr><tr><td colspan=3>all</tr></table>"
    )
    assert written.split("\n") == [
        "| N | G / x | G / y |",
        "| --- | --- | --- |",
        "| r | 1 | 2 |",
        "| r | 3 | 4 |",
        "| all | | |",
    ]


def test_rows_with_heads_at_their_left_have_no_head_above(write: Write) -> None:
    written = write("<table><tr><th>Area</th><td>41</td></tr><tr><th>Depth</th><td>88</td></tr></table>")
    assert written == "| | |\n| --- | --- |\n| Area | 41 |\n| Depth | 88 |"


def test_a_table_for_layout_is_what_is_in_it(write: Write) -> None:
    written = write('<table role="presentation"><tr><td><h2>Left</h2><p>one</p></td><td><p>two</p></td></tr></table>')
    assert written == "## Left\n\none\n\ntwo"


def test_a_table_in_a_table_loses_nothing(write: Write) -> None:
    written = write("<table><tr><td>a<table><tr><th>x<th>y</tr><tr><td>1<td>2</tr></table></td></tr></table>")
    assert "a" in written
    assert "| x | y |" in written
    assert "| 1 | 2 |" in written


def test_what_stands_beside_the_cells_is_kept(write: Write) -> None:
    written = write("<table>stray<tr><td>1<td>2</tr><tr><td>3<td>4</tr></table>")
    assert "stray" in written
    assert "| 3 | 4 |" in written


def test_a_row_without_cells_loses_nothing(write: Write) -> None:
    assert write("<table><tr>only <b>text</b> here</tr></table>").split() == ["only", "here", "text"]


def test_ragged_rows_are_filled_up(write: Write) -> None:
    written = write("<table><tr><th>a<th>b<th>c</tr><tr><td>1</tr><tr><td>1<td>2<td>3</tr></table>")
    assert "| 1 | | |" in written


def test_code_with_numbers_beside_it_is_code(write: Write) -> None:
    written = write(
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td class="code"><div class="highlight-python"><pre>if x:\n    y()</pre></div></td></tr></table>'
    )
    assert written == "```python\nif x:\n    y()\n```"


def test_spans_without_end_make_no_flood(write: Write) -> None:
    row = '<tr><td colspan="1000000" rowspan="65000">x<td>y</tr>'
    assert len(write(f"<table>{row * 2000}</table>")) < 2_000_000


def test_the_foot_of_a_table_stands_below_it(write: Write) -> None:
    written = write(
        "<table><tr><th>a</th></tr><tfoot><tr><td>all</td></tr></tfoot><tbody><tr><td>1</td></tr></tbody></table>"
    )
    assert written.split("\n")[2:] == ["| 1 |", "| all |"]


def test_boxes_that_call_themselves_a_table_are_one(write: Write) -> None:
    names = '<span role="columnheader">a</span><span role="columnheader">b</span>'
    head = f'<div role="rowgroup"><div role="row">{names}</div></div>'
    rows = '<div role="row"><div role="cell">1</div><div role="cell">2</div></div>'
    assert write(f'<div role="table">{head}{rows}</div>') == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert write('<div role="grid"><p>No rows at all.</p></div>') == "No rows at all."


def test_a_sign_in_a_cell_is_what_the_cell_says(write: Write) -> None:
    signs = [
        '<svg aria-label="Supported"><path/></svg>',
        "<svg><title>Partly</title></svg>",
        '<i class="fa fa-check"></i>',
        '<i class="icon-times"></i>',
        '<svg></svg><span class="sr-only">Soon</span>',
        '<span class="icon" title="Never"></span>',
        "<svg><text>SECRET</text></svg>",
        f'<svg aria-label="{"long " * 20}"></svg>',
        'seen <span class="sr-only">SECRET</span>',
    ]
    written = write(f"<table><tr><th>a</th></tr>{''.join(f'<tr><td>{sign}</td></tr>' for sign in signs)}</table>")
    assert written.split("\n")[2:] == [
        "| Supported |",
        "| Partly |",
        "| ✓ |",
        "| ✗ |",
        "| Soon |",
        "| Never |",
        "| seen |",
    ]
