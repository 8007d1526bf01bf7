"""What a command prints: its beginning and its end, readable, whatever it is made of."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_terminal.processes.output import MAX_CHARACTERS, OutputBuffer
from hermes_tools_terminal.shell.output import Capture, readable, truncate


def split(data: bytes, places: list[int]) -> list[bytes]:
    """The same bytes in pieces."""
    at = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(at)]


@given(st.binary(max_size=3000), st.lists(st.integers(0, 10_000), max_size=20), st.integers(10, 400))
def test_pieces_of_any_size_give_the_same_text(data: bytes, places: list[int], limit: int) -> None:
    whole, pieces = Capture(limit), Capture(limit)
    whole.add(data)
    for piece in split(data, places):
        pieces.add(piece)
    assert pieces.size == whole.size == len(data)
    if len(data) <= limit:
        assert pieces.text() == whole.text() == readable(data)
    assert len(pieces.text()) <= limit + 100


@given(st.text(alphabet="abcäß漢😀\n", max_size=3000), st.lists(st.integers(0, 20_000), max_size=20))
def test_beginning_and_end_are_kept_and_the_rest_is_counted(text: str, places: list[int]) -> None:
    capture = Capture(100)
    for piece in split(text.encode(), places):
        capture.add(piece)
    found = capture.text()
    if len(text) <= 100:
        assert found == text
    else:
        assert found.startswith(text[:40])
        assert found.endswith(text[-59:])
        assert "OUTPUT TRUNCATED" in found


def test_a_hundred_megabytes_take_no_room() -> None:
    capture = Capture(50_000)
    block = b"x" * 79 + b"\n"
    block *= 12_800
    tracemalloc.start()
    for _ in range(100):
        capture.add(block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert capture.size == 102_400_000
    assert peak < 5_000_000
    assert len(capture.text()) < 50_200


def test_single_bytes_take_no_room_either() -> None:
    capture = Capture(1000)
    for _ in range(100_000):
        capture.add(b"y")
    assert capture.size == 100_000
    assert len(capture._tail) <= 2400


def test_the_last_bytes_are_there_for_who_looks_on() -> None:
    capture = Capture(1000)
    capture.add(b"begin ")
    assert capture.last(100) == b"begin "
    capture.add(b"." * 10_000 + b" end")
    assert capture.last(5) == b". end"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b[2J\x1b[1;1Htop", "top"),
        (b"\x1b]0;title\x07after", "after"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPqpicture\x1b\\after", "after"),
        (b"\x1b(Bplain", "plain"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"50%\r100%\n", "50%\r100%\n"),
        (b"tab\there", "tab\there"),
        (b"a\xffb", "a\N{REPLACEMENT CHARACTER}b"),
        (b"a\0b\x07", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
        ("ä漢😀".encode(), "ä漢😀"),
        (b"\xed\xa0\x80", "\N{REPLACEMENT CHARACTER}" * 3),
    ],
)
def test_bytes_become_readable(data: bytes, text: str) -> None:
    assert readable(data) == text


@pytest.mark.parametrize("start", [b"\x1b]0;", b"\x1bP", b"\x1b^", b"\x1bX", b"\x1b_", b"\x1b["])
def test_a_sequence_without_an_end_does_not_swallow_what_follows(start: bytes) -> None:
    assert readable(start + b"\nthe rest\n" * 3).count("the rest") == 3


@given(st.binary(max_size=500))
def test_text_for_a_model_can_always_be_written(data: bytes) -> None:
    assert "\x1b[" not in readable(data).replace("\N{REPLACEMENT CHARACTER}", "")
    readable(data).encode()


@given(st.text(max_size=300), st.integers(1, 100))
def test_a_cut_text_keeps_its_ends(text: str, limit: int) -> None:
    found = truncate(text, limit)
    assert found == text if len(text) <= limit else found.endswith(text[len(text) - (limit - int(limit * 0.4)) :])


# -- what background processes print -------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=300), max_size=30))
def test_a_ring_keeps_everything_while_it_has_room(pieces: list[bytes]) -> None:
    output = OutputBuffer()
    for piece in pieces:
        output.add(piece)
    data = b"".join(pieces)
    assert output.size == len(data)
    assert output.text() == readable(data)
    gone, lines = output.lines()
    assert gone == 0
    assert "\n".join(lines) == readable(data).removesuffix("\n")


@pytest.mark.parametrize("line", ["line {}", "zeile ä {}", "😀 {}", "carriage\rreturn\x0b {}", "separator\u2028 {}"])
def test_lines_keep_their_numbers_when_the_first_are_let_go(line: str) -> None:
    output, total = OutputBuffer(), 150_000
    for start in range(0, total, 1000):
        output.add("".join(line.format(number) + "\n" for number in range(start, start + 1000)).encode())
    gone, lines = output.lines()
    assert gone + len(lines) == total
    assert gone > 0
    assert sum(len(line) + 1 for line in lines) <= MAX_CHARACTERS
    for offset in (1, len(lines) // 2, len(lines) - 1):
        assert lines[offset].endswith(f" {gone + offset}")


def test_the_last_characters_are_kept_whatever_they_are_made_of() -> None:
    output = OutputBuffer()
    for _ in range(40):
        output.add(("😀" * 9_999 + "\n").encode())
    assert len(output.text()) == MAX_CHARACTERS
    assert output.tail(5) == "😀😀😀😀\n"
    output.add(b"x")
    assert "\N{REPLACEMENT CHARACTER}" not in output.tail(1000)


def test_ten_megabytes_take_little_room() -> None:
    output = OutputBuffer()
    tracemalloc.start()
    for _ in range(160):
        output.add(b"0123456\n" * 8192)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000
