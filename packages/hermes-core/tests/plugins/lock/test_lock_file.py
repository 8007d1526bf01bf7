"""A lock file is the same bytes everywhere, survives being read, and is found where people put it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import ConfigError
from hermes_core.plugins.lock import Lock, LockedPlugin
from hermes_core.plugins.lock_file import find_lock, read_lock, write_lock
from hermes_core.tools.tool_spec import ToolSpec


def spec(name: str = "dice", **fields: Any) -> ToolSpec:
    return ToolSpec(**{"name": name, "toolset": "games", "parameters": {"type": "object"}, **fields})


def small() -> Lock:
    plugins = {"games": LockedPlugin(distribution="hermes-tools-games", version="1.2"), "local": LockedPlugin()}
    return Lock.of(plugins, [("games", spec(description="Würfelt.")), ("games", spec("cards"))])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hermes.lock"


# Writing


def test_the_file_reads_well_and_merges_well(file: Path) -> None:
    assert write_lock(file, small()) is True
    text = file.read_text(encoding="utf-8")
    assert text.startswith('{\n  "format": 1,\n  "plugins": {\n    "games": {\n')
    assert text.endswith("}\n")
    assert "Würfelt." in text
    assert text.index('"cards": {') < text.index('"dice": {')
    assert json.loads(text)["plugins"]["local"] == {"distribution": None, "version": None}
    assert '\n        "description: \\"Würfelt.\\"",\n' in text


def test_what_was_written_is_read_again(file: Path) -> None:
    write_lock(file, small())
    assert read_lock(file) == small()


def test_the_order_in_which_tools_were_found_leaves_no_trace(tmp_path: Path) -> None:
    plugins = {name: LockedPlugin() for name in "abc"}
    specs = [(name, spec(f"tool_{name}", effects=frozenset({"read", "write", name}))) for name in "abc"]
    write_lock(tmp_path / "one", Lock.of(plugins, specs))
    write_lock(tmp_path / "other", Lock.of(dict(reversed(plugins.items())), specs[::-1]))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_writing_the_same_again_does_not_touch_the_file(file: Path) -> None:
    write_lock(file, small())
    os.utime(file, (1, 1))
    before = file.stat()
    assert write_lock(file, read_lock(file)) is False
    assert (file.stat().st_mtime, file.stat().st_ino) == (1, before.st_ino)


def test_a_changed_lock_is_written_and_keeps_the_files_mode(file: Path) -> None:
    write_lock(file, small())
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    file.chmod(0o664)
    assert write_lock(file, Lock.of({}, [])) is True
    assert stat.S_IMODE(file.stat().st_mode) == 0o664
    assert read_lock(file) == Lock.of({}, [])


def test_a_link_does_not_choose_what_is_overwritten(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine", encoding="utf-8")
    file.symlink_to(target)
    with pytest.raises(ConfigError, match="is a link to .*precious"):
        write_lock(file, small())
    assert target.read_text(encoding="utf-8") == "mine"
    assert file.is_symlink()


def test_a_file_that_cannot_be_written_is_named(file: Path) -> None:
    file.mkdir()
    with pytest.raises(ConfigError, match="cannot be written") as caught:
        write_lock(file, small())
    assert caught.value.file == str(file)
    assert [entry.name for entry in file.parent.iterdir() if entry.suffix == ".tmp"] == []


TEXT = st.text(st.characters(), max_size=8)


@given(st.dictionaries(TEXT, TEXT, max_size=4), TEXT, st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_any_number_survive_the_file(
    tmp_path_factory: pytest.TempPathFactory, words: dict[str, str], text: str, number: float
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.lock"
    schema = {"properties": {name: {"default": word, "maximum": number} for name, word in words.items()}}
    lock = Lock.of({"p": LockedPlugin(version="1")}, [("p", spec(description=text, parameters=schema))])
    write_lock(file, lock)
    assert read_lock(file) == lock
    assert read_lock(file).accepts(spec(description=text, parameters=schema), plugin="p", distribution=None)
    assert write_lock(file, lock) is False


# Finding


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The working folder and a home, both empty."""
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    monkeypatch.chdir(work)
    return work, home


def test_without_any_file_there_is_no_lock(folders: tuple[Path, Path]) -> None:
    assert find_lock(folders[1], {}) is None
    assert find_lock(folders[1] / "nowhere", {"HERMES_LOCK": ""}) is None


def test_the_working_folder_comes_before_the_home(folders: tuple[Path, Path]) -> None:
    work, home = folders
    write_lock(home / "hermes.lock", small())
    assert find_lock(home, {}) == home / "hermes.lock"
    write_lock(work / "hermes.lock", small())
    assert find_lock(home, {}) == work / "hermes.lock"


def test_the_variable_comes_first_and_must_name_a_file(folders: tuple[Path, Path], file: Path) -> None:
    work, home = folders
    write_lock(work / "hermes.lock", small())
    with pytest.raises(ConfigError, match="there is no file") as caught:
        find_lock(home, {"HERMES_LOCK": str(file)})
    assert caught.value.key == "HERMES_LOCK"
    write_lock(file, small())
    assert find_lock(home, {"HERMES_LOCK": str(file)}) == file


@pytest.mark.parametrize("word", ["none", "off", "OFF", " None "])
def test_a_word_turns_the_lock_off(folders: tuple[Path, Path], word: str) -> None:
    write_lock(folders[0] / "hermes.lock", small())
    assert find_lock(folders[1], {"HERMES_LOCK": word}) is None


def test_a_lock_that_cannot_be_read_still_counts(folders: tuple[Path, Path]) -> None:
    (folders[0] / "hermes.lock").symlink_to(folders[0] / "gone")
    found = find_lock(folders[1], {})
    assert found == folders[0] / "hermes.lock"
    with pytest.raises(ConfigError, match="no such file"):
        read_lock(found)


def test_a_working_folder_that_is_gone_has_no_lock(folders: tuple[Path, Path]) -> None:
    work, home = folders
    work.rmdir()
    assert find_lock(home, {}) is None


@pytest.mark.parametrize(
    "content",
    [
        '{"format": 4, "plugins": {}, "tools": {}, "more": {}}',
        "my notes",
        '{"dependencies": {}}',
        "",
        '{"format": 1, "plugins": {}, "tools": {"dice": {}}}',
    ],
)
def test_a_newer_foreign_or_damaged_file_is_not_overwritten(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        write_lock(file, small())
    assert str(file) in str(caught.value)
    assert file.read_text() == content


def test_a_lock_of_a_newer_version_names_both_formats(file: Path) -> None:
    file.write_text('{"format": 4, "plugins": {}, "tools": {}}')
    for use in (read_lock, lambda each: write_lock(each, small())):
        with pytest.raises(ConfigError, match="format 4; this one reads format 1.*Upgrade hermes-core"):
            use(file)
