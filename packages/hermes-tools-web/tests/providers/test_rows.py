"""Results of searches, made plain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.providers.calls import clean_rows, clean_text, clean_url
from hermes_tools_web.providers.protocol import SearchRow


@pytest.mark.parametrize(
    "url",
    [
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org/",
        "//example.org/",
        "/relative",
        "https://",
        "http://[::1",
        "https://example.org/\u202egnp.exe",
        "https://example.org/\x1b[31m",
        f"https://example.org/{'x' * 5000}",
    ],
)
def test_rows_that_lead_nowhere_on_the_web_are_left_out(url: str) -> None:
    assert clean_rows([SearchRow(url=url, title="T")], 5) == ()


def test_signs_that_belong_to_no_url_are_escaped() -> None:
    assert clean_url(' https://example.org/a b?q=<"x">` ') == "https://example.org/a%20b?q=%3C%22x%22%3E%60"


def test_markup_and_entities_are_gone() -> None:
    row = SearchRow(
        url="https://example.org/",
        title="<strong>Plug</strong>gy &amp; <b class='x'>friends</b> &#39;s",
        description="If a &lt; b<br/>then <em>c</em>\n\n  AT&T &nbsp; &notanentity; &copy=1",
    )
    [plain] = clean_rows([row], 5)
    assert plain.title == "Pluggy & friends 's"
    assert plain.description == "If a < b then c AT&T &notanentity; &copy=1"


@pytest.mark.parametrize("text", ["a < b and c > d", "List<String> x", "<script>x</script>", "x <- y", "<blink>"])
def test_other_brackets_belong_to_the_text(text: str) -> None:
    assert clean_text(text, 100) == text


def test_each_url_comes_once_and_never_more_than_wanted() -> None:
    rows = [SearchRow(url=f"https://example.org/{n % 3}", title=str(n)) for n in range(9)]
    assert [row.title for row in clean_rows(rows, 5)] == ["0", "1", "2"]
    assert len(clean_rows(rows, 2)) == 2


def test_long_words_are_cut() -> None:
    many = [SearchRow(url=f"https://example.org/{n}", title="t" * 999, description="d " * 9999) for n in range(100)]
    [one] = clean_rows(many, 1)
    assert (len(one.title), len(one.description)) == (200, 2000)
    assert one.title.endswith("...")
    assert sum(len(row.description) for row in clean_rows(many, 100)) <= 50_000


@given(st.text(), st.text(), st.integers(min_value=4, max_value=50))
def test_whatever_is_found_becomes_one_line(url: str, text: str, maximum: int) -> None:
    line = clean_text(text, maximum)
    assert len(line) <= maximum
    assert len(line.splitlines()) <= 1
    assert clean_url(url) in ("", clean_url(clean_url(url)))


@pytest.mark.parametrize("text", ["<" * 100_000, "<b " * 50_000, "&" * 100_000, "&#x" * 50_000, "<a " + "x" * 100_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    assert len(clean_text(text, 30_000)) <= 30_000
