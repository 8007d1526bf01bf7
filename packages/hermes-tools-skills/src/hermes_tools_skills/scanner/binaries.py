"""Examines what is not text: programs, compiled Python, archives, and files whose content is not what the name says."""

import io
import marshal
import re
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from hermes_tools_skills.scanner.content import Entry
from hermes_tools_skills.scanner.encodings import MAGIC
from hermes_tools_skills.scanner.source import Source

MAX_MEMBERS = 5_000
MAX_UNPACKED = 64 * 1024 * 1024
MAX_NESTING = 3

_PROGRAMS = frozenset(
    [
        ".exe",
        ".dll",
        ".so",
        ".dylib",
        ".com",
        ".msi",
        ".scr",
        ".app",
        ".deb",
        ".rpm",
        ".apk",
        ".jar",
        ".class",
        ".node",
        ".pyd",
        ".ko",
        ".sys",
        ".bin",
        ".elf",
        ".o",
        ".a",
        ".lnk",
        ".dmg",
        ".pkg",
    ]
)
_IMAGES: dict[str, tuple[bytes, ...]] = {
    ".png": (b"\x89PNG",),
    ".jpg": (b"\xff\xd8",),
    ".jpeg": (b"\xff\xd8",),
    ".gif": (b"GIF8",),
    ".webp": (b"RIFF",),
    ".ico": (b"\0\0\1\0", b"\0\0\2\0", b"\x89PNG"),
    ".bmp": (b"BM",),
    ".ttf": (b"\0\1\0\0", b"true", b"ttcf", b"OTTO"),
    ".otf": (b"OTTO", b"\0\1\0\0"),
    ".woff": (b"wOFF",),
    ".woff2": (b"wOF2",),
    ".pdf": (b"%PDF", b"\xef\xbb\xbf%PDF", b"\n%PDF", b"\r\n%PDF"),
    ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    ".wav": (b"RIFF",),
    ".mp4": (b"\0\0\0",),
}
_TEXT_SUFFIXES = frozenset(
    [
        ".md",
        ".txt",
        ".json",
        ".yaml",
        ".yml",
        ".toml",
        ".csv",
        ".xml",
        ".html",
        ".css",
        ".svg",
        ".py",
        ".js",
        ".ts",
        ".sh",
    ]
)
_LFS = b"version https://git-lfs"
Scan = Callable[[Entry, Source, int], None]


def is_binary(data: bytes) -> bool:
    """Return True for data that no interpreter reads as text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"#!")):
        return False
    head = data[:8192]
    controls = sum(byte < 9 or (13 < byte < 32 and byte != 27) for byte in head) - head.count(b"\0")
    # Text with a few null bytes is text that hides from readers.
    return controls > len(head) * 0.03 or head.count(b"\0") > len(head) * 0.01 or head.startswith(b"\x7fELF")


def scan_binary(entry: Entry, source: Source, files: Mapping[str, Entry], nesting: int, scan: Scan) -> None:
    """Examine a file that is not text."""
    suffix = PurePosixPath(entry.path).suffix.lower()
    data = entry.data
    kind = next((what for magic, what in MAGIC if data.startswith(magic)), "")
    if suffix in {".pyc", ".pyo"}:
        _scan_bytecode(entry, source, files)
    elif data.startswith((b"PK\3\4", b"PK\5\6", b"PK\7\x08")):
        if suffix in _IMAGES or suffix in _TEXT_SUFFIXES:
            source.find("content.disguised", 0, f"{entry.path} is an archive")
        _scan_zip(entry, source, nesting, scan)
    elif data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")) or data[257:262] == b"ustar":
        _scan_tar(entry, source, nesting, scan)
    elif data.startswith((b"7z\xbc\xaf\x27\x1c", b"Rar!", b"xar!", b"MSCF")) or suffix in {
        ".7z",
        ".rar",
        ".dmg",
        ".iso",
        ".pkg",
        ".cab",
        ".zst",
    }:
        source.find("content.archive", 0, entry.path)
    elif kind and not (kind.startswith("an old Office") and suffix in {".doc", ".xls", ".ppt", ".msg"}):
        source.find(
            "content.disguised" if suffix in _IMAGES or suffix in _TEXT_SUFFIXES else "content.executable",
            0,
            f"{entry.path} is {kind}",
        )
    elif suffix in _PROGRAMS and len(data) > 0:
        source.find("content.executable", 0, entry.path)
    elif entry.mode & 0o111 and suffix not in _IMAGES and suffix not in {".xsd", ".wasm"}:
        source.find("content.executable", 0, f"{entry.path} is binary and executable")
    elif suffix in _TEXT_SUFFIXES:
        source.find("content.disguised", 0, f"{entry.path} is binary data")
    if suffix in _IMAGES and suffix != ".pdf":
        _scan_trailer(entry, source)


def is_disguised(entry: Entry) -> bool:
    """Return True when a picture, font or document is text instead, such as a script."""
    expected = _IMAGES.get(PurePosixPath(entry.path).suffix.lower())
    return (
        bool(expected)
        and not entry.data.startswith(expected or ())
        and not entry.data.startswith(_LFS)
        and len(entry.data) > 0
    )


def _scan_trailer(entry: Entry, source: Source) -> None:
    """Find a program or archive behind the end of a picture."""
    for mark in (b"PK\3\4", b"\x7fELF", b"#!/bin/", b"#!/usr/bin/"):
        at = entry.data.find(mark, 64)
        if at > 0 and (
            mark[:1] == b"#"
            or (mark == b"\x7fELF" and entry.data[at + 4 : at + 5] in b"\1\2")
            or (mark == b"PK\3\4" and entry.data.rfind(b"PK\5\6") > at)
        ):
            source.find(
                "content.disguised",
                0,
                f"{entry.path} contains {'a script' if mark[:1] == b'#' else 'a program or archive'}",
            )


def _scan_zip(entry: Entry, source: Source, nesting: int, scan: Scan) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(entry.data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS or nesting >= MAX_NESTING:
                source.find("content.archive", 0, f"{entry.path} has too many files or layers")
                return
            budget = MAX_UNPACKED
            for member in members:
                if member.flag_bits & 1:
                    source.find("content.archive-locked", 0, f"{entry.path}: {member.filename}")
                    return
                if _is_unsafe(member.filename) or (member.external_attr >> 16) & 0o170000 == 0o120000:
                    source.find("content.archive-path", 0, f"{entry.path}: {member.filename}")
                if member.is_dir():
                    continue
                if member.filename.lower().endswith("vbaproject.bin"):
                    source.find("content.macro", 0, entry.path)
                    continue
                with archive.open(member) as file:
                    data = file.read(budget + 1)
                budget -= len(data)
                if budget < 0:
                    source.find("content.archive", 0, f"{entry.path} is too large")
                    return
                _scan_member(entry, member.filename, data, (member.external_attr >> 16) & 0o777, source, nesting, scan)
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        RuntimeError,
        NotImplementedError,
        EOFError,
        struct.error,
    ) as error:
        source.find("content.archive", 0, f"{entry.path}: {type(error).__name__}")
    except Exception as error:  # zlib and lzma raise errors of their own for damaged data
        source.find("content.archive", 0, f"{entry.path}: {type(error).__name__}")


def _scan_tar(entry: Entry, source: Source, nesting: int, scan: Scan) -> None:
    from hermes_tools_skills.scanner.encodings import unpack

    try:
        with tarfile.open(fileobj=io.BytesIO(entry.data), mode="r|*") as archive:
            budget = MAX_UNPACKED
            for count, member in enumerate(archive):
                if count >= MAX_MEMBERS or nesting >= MAX_NESTING or member.size > budget:
                    source.find("content.archive", 0, f"{entry.path} is too large")
                    return
                if _is_unsafe(member.name) or ((member.issym() or member.islnk()) and _is_unsafe(member.linkname)):
                    source.find("content.archive-path", 0, f"{entry.path}: {member.name}")
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None:
                    data = file.read()
                    budget -= len(data)
                    _scan_member(entry, member.name, data, member.mode, source, nesting, scan)
    except (tarfile.TarError, OSError, EOFError, ValueError):
        data = unpack(entry.data)
        if data and nesting < MAX_NESTING:
            _scan_member(entry, PurePosixPath(entry.path).stem, data, 0o644, source, nesting, scan)
        else:
            source.find("content.archive", 0, entry.path)
    except Exception as error:  # zlib and lzma raise errors of their own for damaged data
        source.find("content.archive", 0, f"{entry.path}: {type(error).__name__}")


def _scan_member(entry: Entry, name: str, data: bytes, mode: int, source: Source, nesting: int, scan: Scan) -> None:
    if "__MACOSX/" in name or name.rpartition("/")[2].startswith("._"):
        return
    scan(Entry(path=f"{entry.path}!/{name}", kind="file", mode=mode, data=data), source, nesting + 1)


def _is_unsafe(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or bool(re.match(r"[A-Za-z]:", name))


_TEXT_RUN = re.compile(rb"[\x20-\x7e]{4,}")
_ALWAYS_PRESENT = re.compile(
    r"^<(?:module|lambda|listcomp|dictcomp|genexpr|setcomp)>|^__\w+__$|\.<locals>|^\.\d+$|^[a-zA-Z_]\w{0,3}$"
)


def _scan_bytecode(entry: Entry, source: Source, files: Mapping[str, Entry]) -> None:
    """Compare compiled Python with its source. It must have one, which contains all its names and texts."""
    path = PurePosixPath(entry.path)
    stem = path.name.split(".")[0]
    folder = path.parent.parent if path.parent.name == "__pycache__" else path.parent
    original = files.get(str(folder / f"{stem}.py"))
    if original is None:
        source.find("content.bytecode", 0, f"{entry.path} has no source")
        return
    if len(entry.data) < 20 or _differs(entry.data, original):
        source.find("content.bytecode", 0, f"{entry.path} and {original.path}")
        return
    source.find("content.ignore-file", 0) if False else source.can(
        "contains", "compiled Python that matches its source", 0
    )


def _differs(compiled: bytes, original: Entry) -> bool:
    import importlib.util
    import warnings

    flags, size = struct.unpack("<I", compiled[4:8])[0], struct.unpack("<I", compiled[12:16])[0]
    if flags & 1:
        if compiled[8:16] != importlib.util.source_hash(original.data):
            return True
    elif size != len(original.data) & 0xFFFFFFFF:
        return True
    text = original.data.decode("utf-8", "replace")
    if compiled[:4] == importlib.util.MAGIC_NUMBER:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in _file_names(compiled, original.path):
                try:
                    if marshal.dumps(compile(original.data, name, "exec", dont_inherit=True)) == compiled[16:]:
                        return False
                except (SyntaxError, ValueError, RecursionError):
                    return True
    runs = [found.group().decode() for found in _TEXT_RUN.finditer(compiled, 16)]
    return any(not _is_from(run, text, original.path) for run in runs)


def _file_names(compiled: bytes, path: str) -> list[str]:
    name = PurePosixPath(path).name.encode()
    found = {match.group().decode() for match in re.finditer(rb"[\x20-\x7e]{0,400}?" + re.escape(name), compiled)}
    return sorted({candidate[at:] for candidate in found for at in range(min(3, len(candidate)))})[:12]


def _is_from(run: str, text: str, path: str) -> bool:
    """Return True when a text of compiled Python comes from the source: its first characters may be type marks."""
    name = PurePosixPath(path).name
    escaped = text.encode("unicode_escape").decode()
    for start in range(3):
        for end in (len(run), len(run) - 1, len(run) - 2):
            part = run[start:end]
            if len(part) < 3 or part in text or part in escaped or name in part or _ALWAYS_PRESENT.search(part):
                return True
    words = re.findall(r"[A-Za-z_]{4,}", run)
    return bool(words) and all(word in text or word[1:] in text for word in words)
