"""The readers of other languages accept any text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_guard.languages import python
from hermes_guard.languages.scripts import READERS

_PIECES = (
    "system",
    "exec",
    "eval",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    "`",
    "/",
    "\\",
    "$x",
    "@a",
    "qx",
    "s/a/b/e",
    "rm -rf /",
    "\n",
    ";",
    "|",
    "=",
    "fork",
    "while",
    "%w(",
    "#{",
    "\ue000",
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=4)), max_size=30))
def test_no_reader_ever_raises(pieces: list[str]) -> None:
    code = " ".join(pieces)
    python.read(code)
    for reader in READERS.values():
        reader(code)


@pytest.mark.parametrize(
    "text",
    [
        "(",
        "[",
        "{",
        '"',
        "'",
        "`",
        '\\"',
        "s/",
        "q(",
        "/",
        "x=",
        "system(",
        "eval ",
        "| ",
        "a.",
        "%w(",
        "-",
        "fork ",
        "/*",
        "['a']",
        "unlink ",
    ],
)
def test_every_reader_is_linear(text: str) -> None:
    code = text * (6_000 // len(text))
    start = time.process_time()
    for reader in (python.read, *READERS.values()):
        reader(code)
    assert time.process_time() - start < 6
