"""Bundled skills are copied once, updated while they are unchanged, and left alone otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hermes_tools_skills import bundled
from hermes_tools_skills.validation import validate_skill

SHIPPED = sorted(bundled.SOURCE.glob("*/*/SKILL.md"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    for name in ("one", "two", "three"):
        write(folder, name, "First.")
    return folder


@pytest.fixture
def root(home: Path) -> Path:
    return home / "skills"


def write(folder: Path, name: str, body: str) -> Path:
    file = folder / "group" / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n")
    return file


def states(root: Path, source: Path) -> dict[str, tuple[str, bool]]:
    return {each.name: (each.status, each.outdated) for each in bundled.compare(root, source)}


@pytest.mark.parametrize("file", SHIPPED, ids=[file.parent.name for file in SHIPPED])
def test_shipped_skills_follow_the_specification(file: Path) -> None:
    assert validate_skill(file.parent) == []


def test_six_skills_are_shipped() -> None:
    assert len(SHIPPED) == 6


def test_a_fresh_home_gets_all_skills(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    assert sorted(path.parent.name for path in root.glob("*/*/SKILL.md")) == ["one", "three", "two"]
    assert set(states(root, source).values()) == {("current", False)}
    assert bundled.seed(root, source) == []


def test_an_unchanged_skill_is_updated(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    write(source, "one", "Second.")
    bundled.seed(root, source)
    assert "Second." in (root / "group/one/SKILL.md").read_text()
    assert not list(root.glob(".staging/*"))


def test_a_changed_skill_is_kept_and_the_new_version_shown(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    own = write(root, "one", "Mine.")
    write(source, "one", "Second.")
    bundled.seed(root, source)
    assert "Mine." in own.read_text()
    assert states(root, source)["group/one"] == ("changed by the user", True)
    assert "-Mine.\n+Second." in bundled.diff(root, "group/one", source)
    bundled.restore(root, "group/one", source)
    assert "Second." in own.read_text()
    assert states(root, source)["group/one"] == ("current", False)


def test_a_deleted_skill_stays_deleted_until_it_is_restored(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    shutil.rmtree(root / "group/one")
    write(source, "one", "Second.")
    bundled.seed(root, source)
    assert not (root / "group/one").exists()
    assert states(root, source)["group/one"] == ("deleted by the user", False)
    bundled.restore(root, "group/one", source)
    assert (root / "group/one").exists()


def test_a_skill_of_the_user_with_the_same_name_is_kept(root: Path, source: Path) -> None:
    own = write(root, "one", "Mine.")
    assert states(root, source)["group/one"] == ("name is taken", False)
    bundled.seed(root, source)
    assert "Mine." in own.read_text()
    assert (root / "group/two").exists()


def test_a_skill_that_is_no_longer_shipped_belongs_to_the_user(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    shutil.rmtree(source / "group/one")
    bundled.seed(root, source)
    assert (root / "group/one").exists()
    assert "group/one" not in bundled.read_manifest(root)


def test_a_copy_that_was_interrupted_is_completed(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    (root / bundled.MANIFEST).unlink()
    shutil.rmtree(root / "group/two")
    bundled.seed(root, source)
    assert set(states(root, source).values()) == {("current", False)}


def test_a_directory_that_was_moved_away_comes_back(root: Path, source: Path) -> None:
    bundled.seed(root, source)
    aside = root / ".staging" / "x"
    aside.mkdir(parents=True)
    (aside / "target").write_text("group/one")
    (root / "group/one").rename(aside / "replaced")
    write(source, "two", "Second.")
    bundled.seed(root, source)
    assert (root / "group/one/SKILL.md").exists()
    assert not list(root.glob(".staging/*"))
