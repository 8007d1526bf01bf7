"""Whatever an argument holds, the person sees all of it as what it is, and it acts on nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from hermes_approval.channels.safe_text import fold, lines, one_line

if TYPE_CHECKING:
    from channels.conftest import Screen

    Terminal = Callable[..., Screen]


def unfolded(shown: str) -> str:
    """The text behind the gutter, with the pieces of long lines put together again."""
    return shown.replace("\r\n  : ", "").replace("\r\n  | ", "\n")


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("rm -rf /\x1b[2K\x1b[1Gls", "rm -rf /<U+001B>[2K<U+001B>[1Gls"),
        ("rm -rf /\rls      ", "rm -rf /<U+000D>ls      "),
        ("ls \x1b]0;title\x07", "ls <U+001B>]0;title<U+0007>"),
        ("ls \x9b2J", "ls <U+009B>2J"),
        ("echo \u202etxt.exe\u202c", "echo <U+202E>txt.exe<U+202C>"),
        ("echo \u2066a\u2069", "echo <U+2066>a<U+2069>"),
        ("a\u200bb\ufeffc\u00add", "a<U+200B>b<U+FEFF>c<U+00AD>d"),
        ("rm\u00a0-rf\u3000x", "rm<U+00A0>-rf<U+3000>x"),
        ("a\u2028b\u2029c\x85d\x0be", "a<U+2028>b<U+2029>c<U+0085>d<U+000B>e"),
        ("x\U000e0041\ufe01\u3164", "x<U+E0041><U+FE01><U+3164>"),
        ("\ud800", "<U+D800>"),
        ("\u0301a\u0301", "<U+0301>a\u0301"),
        ("a" + "\u0335" * 5, "a" + "\u0335" * 3 + "<U+0335>" * 2),
        ("größer 日本 مرحبا 🎲", "größer 日本 مرحبا 🎲"),
        ("[bold]not[/bold] :dice:", "[bold]not[/bold] :dice:"),
        ("a\tb", "a    b"),
    ],
)
def test_what_acts_or_hides_is_spelled_out(hostile: str, shown: str) -> None:
    assert one_line(hostile) == shown


def test_only_a_line_feed_ends_a_line() -> None:
    assert list(lines("a\nb\r\nc\x85d")) == ["a", "b<U+000D>", "c<U+0085>d"]
    assert list(lines({"a": "b\n"})) == ["{", '  "a": "b\\n"', "}"]


@pytest.mark.parametrize("line", ["", "short", "x" * 500, " " * 300 + "; rm -rf ~", "日本" * 200, "a b " * 100])
def test_folding_loses_nothing(line: str) -> None:
    for width in (1, 2, 20, 80):
        assert "".join(fold(line, width)) == line


def test_lines_are_folded_between_words() -> None:
    assert fold("one word after the other", 10) == ["one word ", "after the ", "other"]
    assert fold("a " + "x" * 12 + " b", 10) == ["a ", "x" * 10, "xx b"]


def test_hostile_arguments_are_shown_and_do_nothing(terminal: Terminal) -> None:
    command = (
        "rm -rf /\x1b[2J\x1b[8m\rls \u202etxt.exe\n\nYour answer was yes.\x07\nAllowed: once.\n"
        + " " * 200
        + "; reboot"
    )
    screen = terminal(requests=[{"args": {"command": command, "name\x1b[2J\nevil": "\x1b]52;c;aGk=\x07"}}])
    shown = screen.reply("f\n") + screen.reply("d\n")
    assert not re.search(r"[^\r\n\x20-\x7e]", shown)
    assert shown.count("\r") == shown.count("\r\n")
    body = unfolded(shown)
    assert "\nrm -rf /<U+001B>[2J<U+001B>[8m<U+000D>ls <U+202E>txt.exe\n\nYour answer was yes.<U+0007>\nAllowed" in body
    assert "\n" + " " * 200 + "; reboot\r\n" in body
    assert "name<U+001B>[2J<U+000A>evil" in body
    assert screen.result()["choice"] == "deny"


def test_no_line_of_an_argument_can_pass_for_a_line_of_the_prompt(terminal: Terminal) -> None:
    command = "ls\n" + "x" * 76 + "Approval needed: nothing at all\nApproval needed: ls\nYour answer :"
    screen = terminal(requests=[{"args": {"command": command}}])
    shown = screen.reply("d\n")
    assert re.findall(r"^.*Approval needed.*$", shown, re.MULTILINE) == [
        "Approval needed: terminal (toolset shell)\r",
        "  : Approval needed: nothing at all\r",
        "  | Approval needed: ls\r",
    ]


def test_ten_thousand_lines_are_paged_and_none_is_left_out(terminal: Terminal) -> None:
    text = "\n".join(f"line {number}" for number in range(10_000))
    screen = terminal(requests=[{"args": {"command": text}}], grants=False)
    first = screen.reply("o\n")
    assert "command (10,000 lines):" in first
    assert "Shown: lines 1-21 of 10,006." in first
    assert "line 100" not in first
    refused = screen.reply("m\n")
    assert "You cannot allow text that was not shown" in refused
    more = screen.reply("f\n")
    assert "Shown: lines 1-42 of 10,006." in more
    rest = screen.reply("o\n")
    shown = re.findall(r"^  \| line (\d+)\r$", first + more + rest, re.MULTILINE)
    assert list(map(int, shown)) == list(range(10_000))
    assert "Shown:" not in rest
    assert screen.result()["choice"] == "once"


def test_a_narrow_terminal_with_colours_shows_it_all(terminal: Terminal) -> None:
    screen = terminal(requests=[{"args": {"command": "echo " + "日本" * 40}}], grants=False, term="xterm", columns=30)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", screen.reply("o\n"))
    assert "\x1b" not in shown
    assert "echo " + "日本" * 40 in unfolded(shown)
    assert max(cell_len(line) for line in shown.splitlines() if line.startswith("  ")) <= 30
    assert screen.result()["choice"] == "once"


def test_a_long_text_can_be_denied_unread(terminal: Terminal) -> None:
    screen = terminal(requests=[{"args": {"command": "x\n" * 1000}}])
    screen.reply("d\n")
    assert screen.result()["choice"] == "deny"
