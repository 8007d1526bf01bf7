"""Tables fit their line, and names stay whole."""

from __future__ import annotations

from hermes_text.tables import Column, table_lines
from hermes_text.terminal import cell_width

COLUMNS = [Column(title="name"), Column(title="about", fit="cut"), Column(title="more", fit="wrap")]


def test_text_that_gives_way_is_cut_or_wrapped() -> None:
    rows = [["a_rather_long_name", "cut " * 20, "wrapped " * 10]]
    lines = list(table_lines(COLUMNS, rows, 60))
    assert max(map(cell_width, lines)) <= 60
    assert lines[1].startswith("a_rather_long_name  cut cut")
    assert "…" in lines[1]
    assert " ".join(lines).count("wrapped") == 10


def test_a_name_is_kept_whole_even_where_it_does_not_fit() -> None:
    lines = list(table_lines(COLUMNS, [["x" * 50, "about", "more"]], 20))
    assert any("x" * 50 in line for line in lines)


def test_without_a_limit_nothing_is_cut() -> None:
    assert len(list(table_lines(COLUMNS, [["n", "a" * 500, "m " * 500]], None))) == 2


def test_wide_characters_keep_the_columns_aligned() -> None:
    lines = list(
        table_lines([Column(title="a"), Column(title="b")], [["日本", "x"], ["ab", "y"], ["e\u0301", "z"]], None)
    )
    assert [cell_width(line.rpartition(" ")[0]) for line in lines[1:]] == [5, 5, 5]
