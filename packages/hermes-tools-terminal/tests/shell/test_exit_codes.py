"""What exit codes mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_terminal.shell.command_checks import exit_code_meaning, last_program, split_words


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("grep x file", "grep"),
        ("/usr/bin/grep x file", "grep"),
        ("cat a | grep x", "grep"),
        ("grep '|' file", "grep"),
        ('grep "a && b" file', "grep"),
        ("grep x file # ; rm", "grep"),
        ("cd /x && LANG=C grep x file", "grep"),
        ("sudo -u bob grep x file", "grep"),
        ("timeout 5 grep x file", "grep"),
        ("env -i A=1 grep x", "grep"),
        ("! grep x file", "grep"),
        ("grep x file > out 2>&1", "grep"),
        ("echo a\ngrep x file", "grep"),
        ("grep x \\\n file", "grep"),
        ("grep 'a\nb' file", "grep"),
        ("grep x file;", "grep"),
        ("python3.12 -m x", "python"),
        ("echo a#b | grep x", "grep"),
        ("( cd x; grep y z )", "grep"),
        ("echo 'open", ""),
        ("", ""),
    ],
)
def test_the_program_whose_code_it_is_is_found(command: str, program: str) -> None:
    assert last_program(command) == program


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("grep x f", 1, "no match was found"),
        ("diff a b", 1, "differ"),
        ("test -f x", 1, "false"),
        ("[ -f x ]", 1, "false"),
        ("curl http://x", 7, "the connection failed"),
        ("pytest -q", 1, "tests failed"),
        ("nothing-like-it", 127, "command not found"),
        ("./x", 126, "cannot be run"),
        ("./x", 137, "killed"),
        ("./x", 139, "crashed"),
        ("sleep 9", 124, "timed out"),
    ],
)
def test_codes_are_explained(command: str, status: int, words: str) -> None:
    assert words in (exit_code_meaning(command, status) or "")


@pytest.mark.parametrize(("command", "status"), [("grep x f", 0), ("ls", 1), ("grep x f", 2), ("make", 2)])
def test_what_says_nothing_by_itself_is_not_explained(command: str, status: int) -> None:
    assert exit_code_meaning(command, status) is None


@given(st.text(max_size=200), st.integers(-1, 300))
def test_no_text_is_too_strange(command: str, status: int) -> None:
    exit_code_meaning(command, status)
    assert split_words(command) is None or all(isinstance(word, str) for word in split_words(command) or [])
