"""Marks are told from output, however the stream is cut."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.shell.protocol import Mark, MarkReader, ShellProtocol

MARK = ShellProtocol("bash", "0123456789abcdef").mark

folders = st.text(st.characters(exclude_characters="\x1e\0", exclude_categories=["Cs"]), max_size=30)
noise = st.one_of(st.binary(max_size=60), st.sampled_from([MARK[:-1], MARK[:1], MARK[:5], b"\x1e\x1e", b"\x1f"]))
marks = st.tuples(st.integers(0, 255), folders)

on_a_busy_machine = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def stream(parts: list[bytes | tuple[int, str]]) -> bytes:
    """What a shell would send."""
    return b"".join(
        part if isinstance(part, bytes) else MARK + f"end\x1ftoken\x1f{part[0]}\x1f{part[1]}\x1e".encode()
        for part in parts
    )


def fed(pieces: list[bytes]) -> tuple[bytes, list[Mark], MarkReader]:
    """The output and the marks of a stream that comes in pieces."""
    output, found = bytearray(), []
    reader = MarkReader(MARK, lambda data, start, end: output.extend(data[start:end]))
    for piece in pieces:
        found += reader.feed(piece)
    return bytes(output), found, reader


@on_a_busy_machine
@given(st.lists(st.one_of(noise, marks), max_size=12), st.lists(st.integers(0, 2000), max_size=30))
def test_any_split_of_any_stream_gives_the_same(parts: list[bytes | tuple[int, str]], places: list[int]) -> None:
    data = stream(parts)
    at = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    pieces = [data[start:end] for start, end in pairwise(at)]
    whole, marks_whole, reader_whole = fed([data])
    cut, marks_cut, reader_cut = fed(pieces)
    single, marks_single, _ = fed([data[index : index + 1] for index in range(len(data))])
    assert (whole, marks_whole, reader_whole._held) == (cut, marks_cut, reader_cut._held)
    assert (whole, marks_whole) == (single, marks_single)


@on_a_busy_machine
@given(st.lists(st.one_of(st.binary(max_size=60).filter(lambda data: b"\x1e" not in data), marks), max_size=12))
def test_nothing_is_lost(parts: list[bytes | tuple[int, str]]) -> None:
    output, found, _ = fed([stream(parts)])
    assert output == b"".join(part for part in parts if isinstance(part, bytes))
    assert [(mark.status, mark.folder) for mark in found] == [part for part in parts if not isinstance(part, bytes)]


def test_what_a_shell_says_at_its_end_is_not_output() -> None:
    data = b"out" + MARK + b"exit\x1f3\x1f/x\x1e" + b"umask 022\nexport A=1\n" + MARK + b"gone\x1e"
    output, found, reader = fed([data])
    assert output == b"out"
    assert [mark.kind for mark in found] == ["exit", "gone"]
    assert reader.final_state == "umask 022\nexport A=1\n"


def test_a_mark_without_an_end_holds_nothing_up() -> None:
    began = time.process_time()
    output, found, reader = fed([MARK + b"x" * 1000] + [b"y" * 65_536] * 800 + [MARK + b"end\x1ftoken\x1f0\x1f/\x1e"])
    assert time.process_time() - began < 5
    assert len(reader._held) <= 65_536
    assert len(output) > 50_000_000
    assert found[-1] == Mark("end", 0, "/", "token")


def test_strange_numbers_do_not_break_the_reader() -> None:
    assert fed([MARK + "end\x1ftoken\x1f²\x1f/x\x1e".encode()])[1] == [Mark("end", 0, "/x", "token")]
    assert fed([MARK + b"end\x1e"])[1] == [Mark("end", 0, "")]
