"""The encoding that a file states is the one that it is read and written in; one that nobody states is not guessed."""

from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_editing.decoded_text import (
    NotInEncodingError,
    Text,
    UncertainEncodingError,
    decode,
    encode_new,
)
from hermes_editing.encodings import codec_name, declared_encoding

DECLARED = [
    ("a.py", "# coding: koi8-r\n", "koi8-r"),
    ("a.py", "#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n", "latin-1"),
    ("a.py", "\n# vim: set fileencoding=cp1251 :\n", "cp1251"),
    ("a.py", "x = 1\n# coding: latin-1\n", ""),
    ("a.py", "# one\r\n# two\r\n# coding: latin-1\r\n", ""),
    ("a.rb", "# encoding: Shift_JIS\n", "Shift_JIS"),
    ("script", "#!/usr/bin/python\n# coding=latin-1\n", "latin-1"),
    ("a.md", "# About coding: latin is dead\n", ""),
    ("a.el", ";; -*- mode: lisp; coding: euc-jp-unix -*-\n", "euc-jp-unix"),
    ("a.tex", "% -*- coding: undecided -*-\n", ""),
    ("a.c", "/* vim: fenc=latin1 */\n", "latin1"),
    ("a.xml", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a/>', "ISO-8859-1"),
    ("a.svg", "<?xml version='1.0' standalone='no' encoding = 'windows-1251' ?>", "windows-1251"),
    ("a.xml", '<?xml version="1.0"?><a encoding="latin-1"/>', ""),
    ("a.html", '<!DOCTYPE html>\n<head><meta charset="windows-1251">', "windows-1251"),
    ("a.htm", "<meta http-equiv=Content-Type content='text/html; charset=gbk'>", "gbk"),
    ("page", "<html><head><META CHARSET=euc-kr>", "euc-kr"),
    ("a.html", '<!-- <meta charset="gbk"> --><meta charset="big5">', "big5"),
    ("a.html", '<meta charset="utf-16">', "utf-8"),
    ("a.html", '<meta name="x" data-charset="gbk">', ""),
    ("a.txt", '<meta charset="gbk">', ""),
    ("a.css", '@charset "iso-8859-2";\np {}', "iso-8859-2"),
    ("a.css", 'p {} @charset "iso-8859-2";', ""),
    ("de.po", 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=ISO-8859-1\\n"\n', "ISO-8859-1"),
    ("a.pot", 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=CHARSET\\n"\n', ""),
    ("a.txt", '"Content-Type: text/plain; charset=ISO-8859-1\\n"\n', ""),
    ("a.tex", "\\documentclass{article}\n\\usepackage[latin9]{inputenc}\n", "latin9"),
    ("a.sty", "\\RequirePackage[ansinew]{inputenc}\n", "ansinew"),
    ("a.tex", "% \\usepackage[latin1]{inputenc}\n", ""),
    ("a.tex", "\\usepackage[latin1]{babel}\n", ""),
]


@pytest.mark.parametrize(("path", "head", "declared"), DECLARED)
def test_declarations_are_found_where_each_language_has_them(path: str, head: str, declared: str) -> None:
    assert declared_encoding(head, path) == declared


NO_TEXT = ["utf-7", "rot13", "unicode_escape", "idna", "punycode", "base64", "hex", "bz2", "mbcs", "undefined", "cp037"]


@pytest.mark.parametrize("name", [*NO_TEXT, "x-unknown", "os", "../../etc", "a" * 5000, "\0"])
def test_names_that_are_no_encoding_of_text_have_no_codec(name: str) -> None:
    assert codec_name(name) == ""


@pytest.mark.parametrize(
    ("name", "codec"),
    [("UTF8", "utf-8"), ("utf-8-unix", "utf-8"), ("latin1", "iso8859-1"), ("iso-latin-1-dos", "iso8859-1"),
     ("Windows-1251", "cp1251"), ("x-sjis", "shift_jis"), ("utf-8-bom", "utf-8-sig"), ("utf-16le", "utf-16-le"),
     ("ansinew", "cp1252"), ("latin9", "iso8859-15"), ("utf8x", "utf-8")],
)  # fmt: skip
def test_other_spellings_are_understood(name: str, codec: str) -> None:
    assert codec_name(name) == codec


CODECS = {
    "latin-1": "é ü",
    "cp1251": "Привет",
    "koi8-r": "Привет",
    "shift_jis": "日本表",
    "gbk": "汉字",
    "big5": "功能",
    "euc-kr": "한글",
    "cp1253": "Ελλ",
    "iso2022_jp": "日本",
    "gb18030": "汉字😀",
    "utf-8": "é漢",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("codec", CODECS)
def test_a_declared_encoding_is_read_edited_and_written(codec: str, newline: str) -> None:
    lines = [f"# -*- coding: {codec} -*-", f"x = '{CODECS[codec]}'", "y = 1", ""]
    text = decode(newline.join(lines).encode(codec), "a.py")
    assert text.text == "\n".join(lines)
    lines[2] = f"y = '{CODECS[codec]}!'"
    assert text.encode("\n".join(lines)) == newline.join(lines).encode(codec)


@given(
    codec=st.sampled_from(["latin-1", "cp1252", "cp1251", "koi8-r", "shift_jis", "gbk", "big5", "ascii", "utf-8"]),
    body=st.binary(max_size=60),
    more=st.text(st.characters(codec="ascii"), max_size=5),
)
@settings(max_examples=250, deadline=None)
def test_bytes_outside_an_edit_stay_whatever_is_declared(codec: str, body: bytes, more: str) -> None:
    head = f"# coding: {codec}\nfirst = 1\n".encode()
    text = decode(head + body, "a.py")
    assert text.encode(text.text) == head + body
    if text.newline == "\n" and not text.mixed and "\r" not in more and not text.how.stateful:
        edited = text.encode(text.text.replace("first = 1", f"first = {more}2", 1))
        assert edited == head.replace(b"first = 1", f"first = {more}2".encode()) + body


UNSTATED = {
    "cp1251": "Привет, мир",
    "koi8-r": "Привет, мир",
    "latin-1": "Grüße",
    "shift_jis": "日本語の表示",
    "gbk": "中文字符",
}


@pytest.mark.parametrize("codec", UNSTATED)
def test_an_encoding_that_nobody_states_takes_changes_of_ascii_alone(codec: str) -> None:
    data = f"first = 1\nname = '{UNSTATED[codec]}'\nlast = 2\n".encode(codec)
    text = decode(data)
    assert "does not declare its encoding" in text.how.problem
    assert text.encode(text.text.replace("last = 2", "last = 3")) == data.replace(b"last = 2", b"last = 3")
    quoted = text.text.splitlines()[1]
    assert text.encode(text.text.replace(quoted, f"{quoted}  # more")) == data.replace(b"'\n", b"'  # more\n")
    assert text.encode(text.text.replace(quoted + "\n", "")) == b"first = 1\nlast = 2\n"
    for new in ("last = 'ё'", "last = 'ü'", "last = '日'"):
        with pytest.raises(UncertainEncodingError, match=r"line 3 .*Nothing was written.*charset.*iconv"):
            text.encode(text.text.replace("last = 2", new))


def test_half_of_a_character_that_looks_like_ascii_is_not_changed() -> None:
    data = "x = '表|'\n".encode("shift_jis")  # the second byte is a backslash
    assert b"\\" in data
    text = decode(data)
    for new in ("/", ""):
        with pytest.raises(UncertainEncodingError):
            text.encode(text.text.replace("\\", new))
    assert text.encode(text.text.replace("x =", "y =")) == data.replace(b"x", b"y")


def test_an_encoding_with_states_that_nobody_declares_is_not_changed_at_all() -> None:
    data = "a = '日本'\nb = 1\n".encode("iso2022_jp")
    with pytest.raises(UncertainEncodingError, match="ISO-2022.*cannot be changed"):
        decode(data).encode(decode(data).text.replace("b = 1", "b = 2"))
    assert decode(b"\x1b[31mred\x1b(B\x1b[m 5$\n").how.problem == ""


@pytest.mark.parametrize(
    ("declared", "body", "shown", "why"),
    [
        ("ascii", "grün".encode(), "grün", "'ascii', but its bytes are valid UTF-8"),
        ("ascii", b"gr\xfcn", "grün", "'ascii', but its bytes are not valid in it"),
        ("utf-8", b"gr\xfcn", "grün", "'utf-8', but its bytes are not valid in it"),
        ("rot13", "grün".encode(), "grün", "'rot13', which is not a supported text encoding"),
        ("utf-7", b"+AOk-", "+AOk-", "'utf-7', which is not a supported text encoding"),
        ("no-such", "grün".encode(), "grün", "'no-such', which is not a supported text encoding"),
        ("utf-16", "grün".encode(), "grün", "'utf-16', but its bytes are valid UTF-8"),
        ("cp037", b"plain", "plain", "'cp037', which is not a supported text encoding"),
    ],
)
def test_a_declaration_that_contradicts_the_bytes_is_reported(declared: str, body: bytes, shown: str, why: str) -> None:
    data = f"# coding: {declared}\n".encode() + body + b"\nx = 1\n"
    text = decode(data, "a.py")
    assert text.text.splitlines()[1] == shown
    assert why in text.how.problem
    assert text.encode(text.text.replace("x = 1", "x = 2")) == data.replace(b"x = 1", b"x = 2")
    with pytest.raises(UncertainEncodingError, match=declared):
        text.encode(text.text.replace("x = 1", "x = 'é'"))


def test_a_mark_counts_before_a_declaration() -> None:
    data = codecs.BOM_UTF8 + '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode()
    text = decode(data, "a.xml")
    assert (text.encoding, text.how.problem) == ("utf-8", "")
    assert text.encode(text.text.replace("é", "漢")) == data.replace("é".encode(), "漢".encode())


def test_a_declaration_that_is_changed_converts_the_file() -> None:
    text = decode("# coding: latin-1\nx = 'é'\n".encode("latin-1"), "a.py")
    assert text.encode("# coding: utf-8\nx = 'é'\n") == "# coding: utf-8\nx = 'é'\n".encode()
    assert text.encode("x = 'é'\n") == "x = 'é'\n".encode()
    plain = decode("x = 'é'\n".encode(), "a.py")
    assert plain.encode("# coding: cp1252\nx = 'é'\n") == "# coding: cp1252\nx = 'é'\n".encode("cp1252")
    with pytest.raises(NotInEncodingError, match="Line 3 "):
        plain.encode("# coding: cp1252\nx = 'é'\ny = 'ж'\n")
    with pytest.raises(UncertainEncodingError, match="'rot13'"):
        plain.encode("# coding: rot13\nx = 'é'\n")


def test_a_declaration_that_is_added_to_an_unknown_encoding_keeps_its_bytes() -> None:
    data = "x = 'Привет'\n".encode("cp1251")
    text = decode(data, "a.py")
    stated = text.encode("# coding: cp1251\n" + text.text)
    assert stated == b"# coding: cp1251\n" + data
    assert decode(stated, "a.py").text == "# coding: cp1251\nx = 'Привет'\n"


NEW = [
    ("a.py", "# coding: latin-1\nx = 'é'\n", "", "# coding: latin-1\nx = 'é'\n".encode("latin-1")),
    ("a.xml", "<?xml version='1' encoding='cp1251'?>я", "", b"<?xml version='1' encoding='cp1251'?>" + b"\xff"),
    ("a.xml", '<?xml version="1.0" encoding="utf-16"?>', "",
     codecs.BOM_UTF16_LE + '<?xml version="1.0" encoding="utf-16"?>'.encode("utf-16-le")),
    ("a.html", "<meta charset=gbk>汉", "", "<meta charset=gbk>汉".encode("gbk")),
    ("a.txt", "é\n", "latin1", b"\xe9\n"),
    ("a.txt", "é\n", "utf-8", "é\n".encode()),
    ("a.txt", "é\n", "utf-8-bom", codecs.BOM_UTF8 + "é\n".encode()),
    ("a.txt", "\ufeffé\n", "utf-8-bom", codecs.BOM_UTF8 + "é\n".encode()),
    ("a.txt", "é\n", "utf-16le", codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le")),
    ("a.txt", "é\n", "utf-16be", codecs.BOM_UTF16_BE + "é\n".encode("utf-16-be")),
    ("a.py", "# coding: utf-8\nx = 'é'\n", "latin1", "# coding: utf-8\nx = 'é'\n".encode()),
    ("a.txt", "plain\n", "klingon", b"plain\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "charset", "data"), NEW)
def test_a_new_file_is_written_as_it_or_its_folder_states(path: str, text: str, charset: str, data: bytes) -> None:
    assert encode_new(text, path, charset) == data
    assert decode(data, path, charset).text == text.removeprefix("\ufeff")


def test_a_new_file_is_not_written_in_what_is_no_encoding() -> None:
    for path, text, charset in (
        ("a.py", "# coding: rot13\n'é'", ""),
        ("a.py", "# coding: utf-16\n'é'", ""),
        ("a", "\né", "klingon"),
    ):
        with pytest.raises(UncertainEncodingError, match="line 2"):
            encode_new(text, path, charset)
    with pytest.raises(NotInEncodingError, match=r"Line 1 .*U\+20AC.*iso8859-1"):
        encode_new("€", "a.txt", "latin1")


def whole(data: bytes, text: str, path: str = "a.txt", charset: str = "") -> bytes:
    return decode(data, path, charset).replaced(text)


def test_a_replaced_file_is_in_the_encoding_that_the_new_text_has() -> None:
    latin = "# coding: latin-1\nx = 'é'\n"
    assert whole("x = 'ж'".encode(), latin, "a.py") == latin.encode("latin-1")
    assert whole(latin.encode("latin-1"), "x = 'ж'\n", "a.py") == "x = 'ж'\n".encode()
    assert whole(b"old", "é", charset="latin1") == b"\xe9"
    assert whole(codecs.BOM_UTF16_BE + b"\0a", "é", charset="latin1") == codecs.BOM_UTF16_BE + b"\0\xe9"
    assert whole("Привет".encode("cp1251"), "plain") == b"plain"
    with pytest.raises(UncertainEncodingError):
        whole("Привет".encode("cp1251"), "Привет")


def test_what_editorconfig_says_about_other_files_is_not_believed_of_these_bytes() -> None:
    text = decode("é\n".encode(), "a.txt", "latin1")
    assert (text.text, "valid UTF-8" in text.how.problem) == ("é\n", True)
    text = decode(b"plain, with an even number of bytes.\n"[:36], "a.txt", "utf-16le")
    assert text.text == "plain, with an even number of bytes."
    assert decode("汉字\n".encode("utf-16-le"), "a.txt", "utf-16le").text == "汉字\n"


def test_a_big_file_of_an_unknown_encoding_is_changed_in_time() -> None:
    data = ("Привет, мир, это строка\n" * 40_000).encode("cp1251") + b"last = 1\n"
    began = time.monotonic()
    text: Text = decode(data)
    assert text.encode(text.text.replace("last = 1", "last = 2")).endswith(b"last = 2\n")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(("codec", "lost"), [("shift_jis", "¥"), ("cp932", "£"), ("euc_jp", "‾"), ("cp950", "¢")])
def test_a_character_that_would_be_written_as_another_is_refused(codec: str, lost: str) -> None:
    text = decode(f"# coding: {codec}\nx = 1\n".encode(), "a.py")
    with pytest.raises(NotInEncodingError, match="Line 2 "):
        text.encode(text.text.replace("1", f"'{lost}'"))


def test_control_characters_that_mean_something_in_the_encoding_are_refused() -> None:
    text = decode(b"# coding: iso2022_kr\nx = 1\n", "a.py")
    with pytest.raises(NotInEncodingError, match="Line 2 "):
        text.encode(text.text.replace("1", "'\x0e\x1b$B'"))
