"""Bytes become text and text becomes bytes without a loss."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_editing.decoded_text import (
    NotInEncodingError,
    decode,
    encode_new,
    is_binary,
    whole_characters,
)

BOMS = {
    "utf-8": b"",
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\r", "\r\r\n"])
WORDS = st.text(st.characters(exclude_characters="\r\n\ufeff", exclude_categories=["Cs"]), max_size=8)
MIXED = st.lists(st.tuples(WORDS, LINE_ENDS)).map(lambda lines: "".join(word + end for word, end in lines))


def plain_bytes(encoding: str, text: str) -> bytes:
    return BOMS[encoding] + text.encode(encoding.removesuffix("-sig"))


@given(st.binary())
@settings(max_examples=250, deadline=None)
@example(b"\xff\xfe\x00\x00")
@example(b"\xff\xfea")
@example(b"\xff\xfe\x00\xd8a\x00")
@example(b"\xef\xbb\xbf\xef\xbb\xbf\xff")
@example(b"a\r\r\nb\nc\r")
@example(b"\x81\x8d\xe9")
@example(bytes(range(256)))
@example(b"a\0b\0c\0d\0e\0f\0g\0h\0i\0")
def test_any_bytes_come_back(data: bytes) -> None:
    text = decode(data)
    assert text.encode(text.text) == data


@given(encoding=st.sampled_from(sorted(BOMS)), raw=MIXED)
@settings(max_examples=250, deadline=None)
def test_text_in_any_encoding_with_any_line_ends_comes_back(encoding: str, raw: str) -> None:
    data = plain_bytes(encoding, raw)
    text = decode(data)
    assert text.raw == raw
    assert text.encode(text.text) == data


@pytest.mark.parametrize("encoding", sorted(BOMS))
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_edit_keeps_encoding_mark_and_line_ends(encoding: str, newline: str) -> None:
    text = decode(plain_bytes(encoding, f"eins{newline}zwei äöü €{newline}drei"))
    assert text.text == "eins\nzwei äöü €\ndrei"
    assert (text.newline, text.mixed) == (newline, False)
    assert (text.encoding, text.bom) == (encoding.removesuffix("-sig"), BOMS[encoding])
    edited = text.encode("eins\nneu 漢\nzwei äöü €\ndrei\n")
    lines = ["eins", "neu 漢", "zwei äöü €", "drei", ""]
    assert edited == plain_bytes(encoding, newline.join(lines))


def test_a_line_end_of_another_kind_in_new_text_becomes_the_files() -> None:
    assert decode(b"a\nb\n").encode("a\nx\r\nb\n") == b"a\nx\nb\n"
    assert decode(b"a\r\nb\r\n").encode("a\nx\r\nb\n") == b"a\r\nx\r\nb\r\n"
    assert decode(b"a\rb\r").encode("a\r\nb\n") == b"a\rb\r"


def test_untouched_lines_of_a_mixed_file_keep_their_own_ends() -> None:
    text = decode(b"a\r\nb\nc\r\nd\re\nf\r\n")
    assert (text.newline, text.mixed) == ("\r\n", True)
    assert text.text == "a\nb\nc\nd\re\nf\n"
    assert text.encode("new\na\nb\nc\nd\re\nf\n") == b"new\r\na\r\nb\nc\r\nd\re\nf\r\n"
    assert text.encode("a\nB\nc\nf\nnew") == b"a\r\nB\nc\r\nf\r\nnew"


@given(raw=MIXED, index=st.integers(0, 20), new=st.lists(st.sampled_from(["x", "", "y z"]), max_size=3))
@settings(max_examples=250, deadline=None)
def test_a_changed_line_leaves_the_bytes_around_it_alone(raw: str, index: int, new: list[str]) -> None:
    text = decode(raw.encode())
    lines = text.text.split("\n")
    index %= len(lines)
    edited = text.encode("\n".join([*lines[:index], *[f"\x01{line}" for line in new], *lines[index + 1 :]]))
    raw_lines = raw.split("\r") if text.newline == "\r" else raw.split("\n")
    before = "".join(line + ("\r" if text.newline == "\r" else "\n") for line in raw_lines[:index])
    after = ("\r" if text.newline == "\r" else "\n").join(raw_lines[index + 1 :])
    if 0 < index < len(lines) - 1 and new:
        assert edited.decode().startswith(before)
        assert edited.decode().endswith(after)


def test_bytes_that_are_no_utf_8_stay_in_a_file_that_is() -> None:
    data = "äöü ß é 漢字 ".encode() + b"\xff and \xc3" + "\nä\n".encode()
    text = decode(data)
    assert text.encoding == "utf-8"
    assert text.encode(text.text.replace("and", "or")) == data.replace(b"and", b"or")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "utf-8"),
        (b"", "utf-8"),
        ("a plain file\r\n".encode("utf-16-le"), "utf-16-le"),
        ("a plain file\r\n".encode("utf-16-be"), "utf-16-be"),
        (b"a\0b\0", "utf-8"),
    ],
)
def test_the_encoding_is_recognised(data: bytes, encoding: str) -> None:
    assert decode(data).encoding == encoding


def test_a_character_that_the_encoding_lacks_is_refused_by_name() -> None:
    text = decode("# coding: cp1252\nGrüße".encode("cp1252"), "a.py")
    assert text.encode("# coding: cp1252\nGrüße “€”") == "# coding: cp1252\nGrüße “€”".encode("cp1252")
    with pytest.raises(NotInEncodingError, match=r"Line 2 .*U\+6F22.*cp1252"):
        text.encode("# coding: cp1252\nGrüße 漢")
    with pytest.raises(NotInEncodingError, match=r"Line 1 .*U\+D800.*utf-8"):
        decode(b"a").encode("a\ud800")


def test_a_new_text_is_written_as_it_is() -> None:
    assert encode_new("a\r\nä\n\udcff") == b"a\r\n\xc3\xa4\n\xff"
    with pytest.raises(NotInEncodingError, match="lone surrogate"):
        encode_new("a\ud83d")


@pytest.mark.parametrize("text", ["aé", "a漢", "a😀", "", "plain"])
def test_what_is_cut_off_loses_only_half_a_character(text: str) -> None:
    data = text.encode()
    assert whole_characters(data) == data
    for size in range(len(data)):
        assert text.startswith(whole_characters(data[:size]).decode())
        assert len(data[:size]) - len(whole_characters(data[:size])) < 4


LANGUAGES = [
    "The quick brown fox\n",
    "Съешь же ещё этих мягких французских булок\n",
    "いろはにほへと ちりぬるを\n",
    "敏捷的棕色狐狸跳过懒狗\n",
    "نص حكيم له سر قاطع\n",
    "ऋषियों को सताने वाले\n",
    "👩‍👩‍👧‍👦 🏳️‍🌈 ✓\n",
]


@pytest.mark.parametrize("line", LANGUAGES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_in_any_language_cut_anywhere_is_no_binary(line: str, encoding: str) -> None:
    data = (line * 5).encode(encoding)
    assert not any(is_binary(data[:size]) for size in range(len(data)))


def test_cut_utf_8_without_its_beginning_is_no_binary() -> None:
    data = (LANGUAGES[2] * 5).encode()
    assert not any(is_binary(data[size:]) for size in range(12))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        "Élan vital, très français\n".encode("latin-1"),
        b"\x1b[31merror\x1b[0m\x07 50%\r100%\x08\n",
        b"\x1b[1m" * 40,
        "plain file without a mark".encode("utf-16-le"),
        "日本語".encode("shift-jis"),
        b"page\x0cbreak\x0bs",
    ],
)
def test_text_is_no_binary(data: bytes) -> None:
    assert not is_binary(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        b"text and\0zero",
        bytes([1, 2, 3, 4, 255, 97, 98]),
        b"\x1f\x8b\x08abcdefghijk",
        b"\1\0\2\0\3\0\4\0\5\0\6\0\7\0\x10\0\x11\0",
        b"\xff\xfe" + bytes([1, 0, 2, 0, 3, 0]),
    ],
)
def test_binary_is_binary(data: bytes) -> None:
    assert is_binary(data)


@pytest.mark.parametrize(("head", "binary"), [(b"\x1c", False), (b"BZhello\n", False), (b"\x01" * 600, True)])
def test_a_few_control_characters_are_text_and_many_are_not(head: bytes, binary: bool) -> None:
    assert is_binary(head) is binary
