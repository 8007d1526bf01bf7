"""Archives are read within limits, and nothing in them can leave the skill."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_skills.providers.archives import read_archive, strip_top
from hermes_tools_skills.providers.protocol import SizeLimits, SourceError

LIMITS = SizeLimits(files=100, bytes=4 << 20, file_bytes=2 << 20)


def make_zip(members: dict[str, bytes], modes: dict[str, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (modes or {}).get(name, 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return buffer.getvalue()


def make_tar(members: list[tarfile.TarInfo], data: bytes = b"text") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member in members:
            member.size = len(data) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def test_a_zip_keeps_contents_and_modes() -> None:
    packed = make_zip({"top/SKILL.md": b"a", "top/run.sh": b"b"}, {"top/run.sh": 0o100755})
    files = strip_top(read_archive(packed, LIMITS))
    assert [(file.path, file.data, file.executable) for file in files] == [
        ("SKILL.md", b"a", False),
        ("run.sh", b"b", True),
    ]


def test_a_tar_is_read_likewise() -> None:
    files = read_archive(make_tar([tarfile.TarInfo("./top/SKILL.md")]), LIMITS)
    assert [(file.path, file.data) for file in files] == [("top/SKILL.md", b"text")]


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\..\\x", "CON", "a\0b", "x\u202ey", "x."])
def test_names_that_leave_the_skill_are_refused(name: str) -> None:
    packed = make_zip({name.replace("\0", "@"): b"x"}).replace(b"a@b", b"a\0b")  # the library cannot write a NUL
    with pytest.raises(SourceError):
        read_archive(packed, LIMITS)
    if "\0" not in name:
        with pytest.raises(SourceError):
            read_archive(make_tar([tarfile.TarInfo(name)]), LIMITS)


def test_links_and_devices_are_refused() -> None:
    with pytest.raises(SourceError, match="link or a device"):
        read_archive(make_zip({"x": b"/etc/passwd"}, {"x": stat.S_IFLNK | 0o777}), LIMITS)
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        member = tarfile.TarInfo("x")
        member.type, member.linkname = kind, "../../etc/passwd"
        with pytest.raises(SourceError, match="link or a device"):
            read_archive(make_tar([member]), LIMITS)


def test_bombs_are_refused() -> None:
    with pytest.raises(SourceError, match="larger than"):
        read_archive(make_zip({"x": os.urandom(3 << 20)}), LIMITS)
    with pytest.raises(SourceError, match="expands"):
        read_archive(make_zip({"x": bytes(1_900_000)}), LIMITS)
    with pytest.raises(SourceError, match="files"):
        read_archive(make_zip({str(number): b"x" for number in range(101)}), LIMITS)
    with pytest.raises(SourceError, match="larger than"):
        read_archive(
            make_tar([tarfile.TarInfo(f".git/{number}") for number in range(8)], os.urandom(1_900_000)), LIMITS
        )


def test_a_lying_size_is_found_while_reading() -> None:
    packed = bytearray(make_zip({"x": b"abc" * 1000}))
    at = packed.index(b"PK\x01\x02")
    packed[at + 24 : at + 28] = (10).to_bytes(4, "little")
    with pytest.raises(SourceError):
        read_archive(bytes(packed), LIMITS)


def test_an_encrypted_member_is_refused() -> None:
    packed = bytearray(make_zip({"x": b"abc"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(mark) + offset] |= 1
    with pytest.raises(SourceError, match="encrypted"):
        read_archive(bytes(packed), LIMITS)


def test_a_truncated_archive_is_an_error_at_every_length() -> None:
    for packed in (make_zip({"SKILL.md": b"hello" * 50}), make_tar([tarfile.TarInfo("SKILL.md")], b"hello" * 50)):
        for length in range(4, len(packed) - 1, 7):
            try:
                files = read_archive(packed[:length], LIMITS)
            except SourceError:
                continue
            assert [file.data for file in files] in ([], [b"hello" * 50])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08"]))
def test_garbage_raises_nothing_else(data: bytes, start: bytes) -> None:
    try:
        read_archive(start + data, LIMITS)
    except SourceError:
        pass


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 400), st.integers(0, 255))
def test_a_changed_byte_raises_nothing_else(position: int, value: int) -> None:
    packed = bytearray(make_zip({"SKILL.md": b"hello" * 20, "a/b": b"x"}))
    packed[position % len(packed)] = value
    try:
        read_archive(bytes(packed), LIMITS)
    except SourceError:
        pass
