"""Names of downloaded files are checked before any of them is written."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_skills.hub.quarantine import write_files
from hermes_tools_skills.providers.file_checks import check_files, require_safe_name
from hermes_tools_skills.providers.protocol import FileNameError, SizeLimits, SkillFile, SourceError


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "../escape",
        "a/../../b",
        "/etc/passwd",
        "a//b",
        "a/./b",
        "C:\\evil",
        "C:evil",
        "a\\b",
        "a\0b",
        "a\nb",
        "name.",
        "name ",
        " name",
        "dir./file",
        "CON",
        "con.txt",
        "a/NUL",
        "LPT1.md",
        "COM¹",
        "stream.txt:hidden",
        "what?",
        "a*b",
        "\u202egpj.exe",
        "zero\u200bwidth",
        "soft\u00adhyphen",
        "cafe\u0301",
        "x" * 300,
        "/".join("d" * 30),
        "\ud800",
    ],
)
def test_a_name_that_could_mean_another_file_is_refused(path: str) -> None:
    with pytest.raises(FileNameError):
        require_safe_name(path)


@pytest.mark.parametrize(
    "path", ["SKILL.md", "scripts/run.sh", "docs/café.md", "日本語/説明.md", ".curated/x", "console.md"]
)
def test_ordinary_names_are_accepted(path: str) -> None:
    require_safe_name(unicodedata.normalize("NFC", path))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("README.md", "readme.md"),
        ("Docs/a.md", "docs/b.md"),
        ("straße", "STRASSE"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("same", "same"),
        ("ﬁle", "file"),
    ],
)
def test_names_that_collide_on_some_system_are_refused(first: str, second: str) -> None:
    with pytest.raises(FileNameError, match="collides"):
        check_files([SkillFile(path=first, data=b""), SkillFile(path=second, data=b"")], SizeLimits())


def test_files_of_version_control_are_left_out() -> None:
    files = [
        SkillFile(path=path, data=b"") for path in (".git/config", "SKILL.md", "__MACOSX/._SKILL.md", "a/.DS_Store")
    ]
    assert [file.path for file in check_files(files, SizeLimits())] == ["SKILL.md"]


def test_limits_of_number_and_size_hold() -> None:
    many = [SkillFile(path=str(number), data=b"x") for number in range(11)]
    with pytest.raises(SourceError, match="more than 10 files"):
        check_files(many, SizeLimits(files=10))
    with pytest.raises(SourceError, match="larger than"):
        check_files([SkillFile(path="a", data=b"x" * 11)], SizeLimits(file_bytes=10))
    with pytest.raises(SourceError, match="larger than"):
        check_files(many, SizeLimits(bytes=10))


_SEGMENTS = st.one_of(
    st.sampled_from(["..", ".", "", "a", "A", "CON", "x.", "ﬁ", "é", "\u0301", "\u200b", "SKILL.md", "dir", ".git"]),
    st.text(max_size=6),
)
_PATHS = st.lists(_SEGMENTS, min_size=1, max_size=5).map("/".join)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PATHS, max_size=6))
def test_whatever_is_accepted_is_written_inside_of_the_directory(paths: list[str]) -> None:
    import tempfile

    try:
        files = check_files([SkillFile(path=path, data=path.encode("utf-8")) for path in paths], SizeLimits())
    except (SourceError, UnicodeEncodeError):
        return
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder) / "skill"
        write_files(top, files)
        found = {file.relative_to(top).as_posix(): file.read_bytes() for file in top.rglob("*") if file.is_file()}
        assert found == {file.path: file.data for file in files}
        assert [each.name for each in Path(folder).iterdir()] == ["skill"]
