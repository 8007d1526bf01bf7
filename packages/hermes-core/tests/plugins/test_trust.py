"""Trust belongs to the files of a folder as they were, and survives whatever happens to the list of it."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from hermes_core.errors import ConfigError
from hermes_core.plugins.trust import Trust, digest_of


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "home")


def verdict(trust: Trust, folder: Path, name: str, source: bytes) -> str | None:
    found = trust.refuse(str(folder), str(folder / name), source)
    return None if found is None else found[0]


def test_nothing_is_trusted_at_first(trust: Trust, tmp_path: Path) -> None:
    assert trust.folders() == {}
    assert verdict(trust, tmp_path, "a.py", b"x") == "the project's directory .hermes/plugins is not trusted."
    assert not trust.remove(str(tmp_path))
    assert not trust.file.exists()


def test_a_file_is_trusted_as_it_was(trust: Trust, tmp_path: Path) -> None:
    trust.add(str(tmp_path), {str(tmp_path / "a.py"): b"x = 1\n"})
    assert trust.folders() == {str(tmp_path): {"a.py": digest_of(b"x = 1\n")}}
    assert verdict(trust, tmp_path, "a.py", b"x = 1\n") is None
    assert verdict(trust, tmp_path, "a.py", b"x = 2\n") == "it changed after the project's directory was trusted."
    assert verdict(trust, tmp_path, "b.py", b"x = 1\n") == "it came after the project's directory was trusted."
    assert verdict(trust, tmp_path / "sub", "a.py", b"x = 1\n") is not None


def test_trusting_again_forgets_the_files_of_before(trust: Trust, tmp_path: Path) -> None:
    trust.add(str(tmp_path), {"a.py": b"1", "b.py": b"2"})
    trust.add(str(tmp_path), {"b.py": b"3"})
    assert verdict(trust, tmp_path, "a.py", b"1") == "it came after the project's directory was trusted."
    assert verdict(trust, tmp_path, "b.py", b"3") is None


def test_trust_can_be_taken_back(trust: Trust, tmp_path: Path) -> None:
    other = tmp_path / "other"
    trust.add(str(tmp_path), {"a.py": b"1"})
    trust.add(str(other), {"a.py": b"1"})
    assert trust.remove(str(tmp_path))
    assert not trust.remove(str(tmp_path))
    assert verdict(trust, tmp_path, "a.py", b"1") == "the project's directory .hermes/plugins is not trusted."
    assert verdict(trust, other, "a.py", b"1") is None


def test_a_folder_is_known_by_where_it_really_is(trust: Trust, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    trust.add(str(link), {"a.py": b"1"})
    assert list(trust.folders()) == [str(real)]
    assert verdict(trust, real, "a.py", b"1") is None
    link.unlink()
    link.mkdir()
    assert verdict(trust, link, "a.py", b"1") == "the project's directory .hermes/plugins is not trusted."


def test_a_trusted_folder_without_files_trusts_none(trust: Trust, tmp_path: Path) -> None:
    trust.add(str(tmp_path), {})
    assert verdict(trust, tmp_path, "a.py", b"") == "it came after the project's directory was trusted."


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"5", b'{"/x": []}', b'{"/x": {"a.py": 5}}', b"\xff", b"[" * 100_000], ids=repr
)
def test_a_damaged_list_trusts_nothing_and_is_moved_aside(
    trust: Trust, tmp_path: Path, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    trust.file.parent.mkdir()
    trust.file.write_bytes(text)
    assert verdict(trust, tmp_path, "a.py", b"1") == "the project's directory .hermes/plugins is not trusted."
    aside = trust.file.with_name(f"{trust.file.name}.broken")
    assert (aside.read_bytes(), trust.file.exists()) == (text, False)
    assert f"{trust.file} is damaged" in caplog.text
    assert str(aside) in caplog.text
    trust.add(str(tmp_path), {"a.py": b"1"})
    assert verdict(trust, tmp_path, "a.py", b"1") is None
    trust.file.write_bytes(text)
    assert trust.folders() == {}
    assert (aside.read_bytes(), aside.with_name(f"{aside.name}.1").read_bytes()) == (text, text)


def test_a_list_of_a_newer_version_trusts_nothing_and_is_not_overwritten(trust: Trust, tmp_path: Path) -> None:
    trust.file.parent.mkdir()
    trust.file.write_text('{"version": 3, "folders": []}')
    said = verdict(trust, tmp_path, "a.py", b"1")
    assert said is not None
    assert "format 3" in said
    for change in (lambda: trust.add(str(tmp_path), {"a.py": b"1"}), lambda: trust.remove(str(tmp_path))):
        with pytest.raises(ConfigError, match="format 3"):
            change()
    assert trust.file.read_text() == '{"version": 3, "folders": []}'


def test_many_who_trust_at_once_lose_nothing(trust: Trust, tmp_path: Path) -> None:
    def add(number: int) -> None:
        trust.add(str(tmp_path / str(number)), {"a.py": b"1"})

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(json.loads(trust.file.read_text())) == 8


def test_the_list_is_for_its_owner_alone(trust: Trust, tmp_path: Path) -> None:
    trust.add(str(tmp_path), {"a.py": b"1"})
    assert trust.file.stat().st_mode & 0o022 == 0


def test_a_name_that_is_not_utf_8_can_be_trusted_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    name = os.fsdecode(b"\xff\xfe.py")
    trust = Trust(tmp_path / "home")
    trust.add(str(folder), {os.path.join(folder, name): b"x = 1"})
    assert trust.refuse(str(folder), os.path.join(folder, name), b"x = 1") is None
    assert trust.refuse(str(folder), os.path.join(folder, name), b"x = 2") is not None
