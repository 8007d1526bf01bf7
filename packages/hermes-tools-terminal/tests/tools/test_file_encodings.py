"""The tools for files in every encoding: stated ones are honored, uncertain ones are not guessed."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest


def put(me: Any, name: str, data: bytes) -> Path:
    path = Path(me.project / name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_python_file_in_a_declared_encoding_is_read_and_patched_in_it(me: Any) -> None:
    source = "# -*- coding: koi8-r -*-\nname = 'Привет'\n"
    path = put(me, "a.py", source.encode("koi8-r"))
    told = me.use("read_file", file_path="a.py")
    assert told["content"].splitlines()[1] == "2|name = 'Привет'"
    assert told["encoding"] == "koi8-r"
    me.use("patch", mode="replace", path="a.py", old_string="Привет", new_string="Пока")
    assert path.read_bytes() == source.replace("Привет", "Пока").encode("koi8-r")


def test_new_files_are_written_as_they_or_their_folder_state(me: Any) -> None:
    put(me, ".editorconfig", b"root = true\n[win/**]\ncharset = utf-16le\n[*.txt]\ncharset = latin1\n")
    told = me.use("write_file", file_path="a.py", content="# coding: latin-1\nx = 'é'\n")
    assert told["encoding"] == "iso8859-1"
    assert (me.project / "a.py").read_bytes() == b"# coding: latin-1\nx = '\xe9'\n"
    me.use("write_file", file_path="win/new/f.ini", content="é\n")
    assert (me.project / "win/new/f.ini").read_bytes() == codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le")
    assert me.use("read_file", file_path="win/new/f.ini")["content"] == "1|é"
    patch = "*** Begin Patch\n*** Add File: b.txt\n+é\n*** Add File: c.xml\n"
    patch += '+<?xml version="1.0" encoding="cp1251"?>\n+<a>я</a>\n*** End Patch\n'
    me.use("patch", mode="patch", patch=patch)
    assert (me.project / "b.txt").read_bytes() == b"\xe9\n"
    assert "<a>я</a>".encode("cp1251") in (me.project / "c.xml").read_bytes()


def test_a_character_that_an_encoding_lacks_is_an_error_before_anything_is_written(me: Any) -> None:
    put(me, ".editorconfig", b"[*.txt]\ncharset = latin1\n")
    path = put(me, "a.txt", b"caf\xe9\n")
    for told in (
        me.call("write_file", {"file_path": "a.txt", "content": "one\n日本\n"}),
        me.call("write_file", {"file_path": "new.txt", "content": "one\n日本\n"}),
        me.call("patch", {"mode": "patch", "patch": "*** Update File: a.txt\n@@\n café\n+日本\n*** Add File: b\n+x\n"}),
    ):
        assert "Line 2 has the character '\\u65e5' (U+65E5), which is not in iso8859-1" in told["error"]
    assert path.read_bytes() == b"caf\xe9\n"
    assert sorted(each.name for each in me.project.iterdir()) == [".editorconfig", "a.txt"]


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "shift_jis", "gbk", "latin-1"])
def test_an_uncertain_encoding_is_shown_with_a_note_and_not_guessed(me: Any, codec: str) -> None:
    letters = {"cp1251": "Привет", "koi8-r": "Привет", "shift_jis": "日本語", "gbk": "中文字", "latin-1": "Grüße"}[
        codec
    ]
    data = f"a = 1\nb = '{letters}'\n".encode(codec)
    path = put(me, "a.txt", data)
    told = me.use("read_file", file_path="a.txt")
    assert told["encoding"] == "uncertain"
    assert "may be wrong" in told["hint"]
    assert ".editorconfig" in told["hint"]
    for tool, args in (
        ("patch", {"mode": "replace", "path": "a.txt", "old_string": "a = 1", "new_string": "a = 'é'"}),
        ("write_file", {"file_path": "a.txt", "content": f"b = '{letters}'\n"}),
    ):
        assert "encoding of the file is uncertain" in me.call(tool, args)["error"]
        assert path.read_bytes() == data
    me.use("patch", mode="replace", path="a.txt", old_string="a = 1", new_string="a = 2")
    assert path.read_bytes() == data.replace(b"1", b"2")
    put(me, ".editorconfig", f"[*.txt]\ncharset = {codec}\n".encode())
    assert letters in me.use("read_file", file_path="a.txt")["content"]
    me.use("patch", mode="replace", path="a.txt", old_string=letters, new_string=letters[::-1])
    assert letters[::-1].encode(codec) in path.read_bytes()


def test_a_wrong_declaration_is_reported_and_nothing_crashes(me: Any) -> None:
    for name in ("rot13", "utf-7", "idna", "unicode_escape", "no-such-thing", "ascii", "undefined", "base64"):
        path = put(me, f"{name}.py", f"# coding: {name}\nx = 'grün'\n".encode())
        told = me.use("read_file", file_path=path.name)
        assert told["content"].splitlines()[1] == "2|x = 'grün'"
        assert f"declares the encoding '{name}'" in told["hint"]
        told = me.call(
            "patch", {"mode": "replace", "path": path.name, "old_string": "grün", "new_string": "grün, blöd"}
        )
        assert f"declares the encoding '{name}'" in told["error"]


def test_lines_in_the_middle_of_a_big_declared_file_are_read_in_its_encoding(me: Any) -> None:
    lines = ["<?xml version='1.0' encoding='windows-1251'?>", *(f"<a>строка {number}</a>" for number in range(5000))]
    put(me, "a.xml", "\n".join([*lines, "я" * 5000]).encode("cp1251"))
    assert me.use("read_file", file_path="a.xml", offset=4000, limit=1)["content"] == "4000|<a>строка 3998</a>"
    assert me.use("read_file", file_path="a.xml", offset=5002, limit=1)["content"].startswith("5002|яяя")
    put(
        me,
        "b.py",
        "\n".join(["# coding: shift_jis", *(f"# 表示 {number}" for number in range(5000))]).encode("shift_jis"),
    )
    assert me.use("read_file", file_path="b.py", offset=4000, limit=1)["content"] == "4000|# 表示 3998"


def test_text_of_two_bytes_for_each_letter_is_no_binary_where_editorconfig_says_so(me: Any) -> None:
    data = "汉字和更多\n文字\n".encode("utf-16-le")
    put(me, "a.txt", data)
    assert me.call("read_file", {"file_path": "a.txt"})["is_binary"] is True
    put(me, ".editorconfig", b"[*]\ncharset = utf-16le\n")
    assert me.use("read_file", file_path="a.txt")["content"] == "1|汉字和更多\n2|文字"
    me.use("patch", mode="replace", path="a.txt", old_string="文字", new_string="é")
    assert (me.project / "a.txt").read_bytes() == data.replace("文字".encode("utf-16-le"), "é".encode("utf-16-le"))


@pytest.mark.parametrize(("declared", "shown"), [("ascii", "grün"), ("utf-8", "grün"), ("ascii", "gr\\u00fcn")])
def test_what_contradicts_a_declaration_far_down_is_reported_there(me: Any, declared: str, shown: str) -> None:
    codec = "latin-1" if declared == "utf-8" else "utf-8"
    put(me, "a.py", (f"# coding: {declared}\n" + "x = 1\n" * 3000 + f"# {shown}\n").encode(codec))
    told = me.use("read_file", file_path="a.py", offset=3002)
    assert told["content"] == f"3002|# {shown}"
    assert ("hint" in told) == (not shown.isascii())
    assert shown.isascii() or f"declares the encoding '{declared}'" in told["hint"]
