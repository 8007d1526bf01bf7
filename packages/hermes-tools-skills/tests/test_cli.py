"""`hermes skills`, as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The commands are those of this package."""
    return "hermes-tools-skills"


def hermes(*words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hermes_core", "skills", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def write_skill(root: Path, name: str, front: str = "") -> Path:
    directory = root / name
    directory.mkdir(parents=True)
    text = f"---\nname: {directory.name}\ndescription: Does {directory.name}.\n{front}---\nDo it.\n"
    (directory / "SKILL.md").write_text(text)
    return directory


def test_a_list_shows_bundled_skills_and_their_status(home: Path) -> None:
    write_skill(home / "skills", "devops/deploy", "required_environment_variables: [SHOP_TOKEN]\n")
    listed = hermes("list")
    assert "hermes/write-a-skill" in listed
    assert "setup needed" in listed
    assert "7 skills" in listed


def test_a_list_shows_what_is_hidden_and_what_is_broken(home: Path) -> None:
    write_skill(home / "skills", "hidden", "disable-model-invocation: true\n")
    (home / "skills/broken").mkdir()
    (home / "skills/broken/SKILL.md").write_text("no frontmatter")
    found = json.loads(hermes("list", "--json", "hidden"))
    assert [row["status"] for row in found["skills"]] == ["disabled for models by its frontmatter"]
    assert "frontmatter" in found["problems"][0]["reason"]


def test_a_skill_is_shown_as_a_model_sees_it(home: Path) -> None:
    write_skill(home / "skills", "hidden", "disable-model-invocation: true\n")
    assert "Do it." in hermes("view", "hidden")
    assert "Descriptions of tools" in hermes("view", "write-a-plugin", "references/descriptions.md")
    assert "There is no skill 'nothing'" in hermes("view", "nothing", code=2)


def test_validation_names_each_problem_with_its_line(home: Path) -> None:
    directory = write_skill(home / "skills", "Bad_Name", "unknown: 1\n")
    printed = hermes("validate", str(directory), code=1)
    assert "[name.characters]" in printed
    assert "[field.unknown]" in printed
    good = write_skill(home / "skills", "good")
    assert "1 skill checked, 0 with problems." in hermes("validate", str(good))


def test_a_project_is_used_after_it_was_trusted() -> None:
    write_skill(Path.cwd() / ".agents/skills", "review")
    assert "Run 'hermes skills trust'" in hermes("list")
    hermes("trust")
    assert "project:review" in hermes("list")
    hermes("trust", "--revoke")
    assert "project:review" not in hermes("list")


def test_a_process_that_a_tool_started_cannot_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(Path.cwd() / ".agents/skills", "review")
    monkeypatch.setenv("HERMES_TOOL_SESSION", os.environ["HERMES_HOME"])
    assert "cannot be changed" in hermes("trust", code=2)


def test_a_check_shows_changed_bundled_skills(home: Path) -> None:
    assert "6 skills checked." in hermes("check")
    file = home / "skills/hermes/write-a-skill/SKILL.md"
    file.write_text(file.read_text() + "My own line.\n")
    assert "changed by the user" in hermes("check")
    assert "-My own line." in hermes("check", "--diff", "hermes/write-a-skill")
    hermes("check", "--restore", "hermes/write-a-skill")
    assert "My own line." not in file.read_text()


def test_a_doctor_reads_the_home_and_tests_the_scanner(home: Path) -> None:
    (home / "skills/broken").mkdir(parents=True)
    (home / "skills/broken/SKILL.md").write_text("no frontmatter")
    done = subprocess.run(
        [sys.executable, "-m", "hermes_core", "doctor", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "does not begin with a frontmatter" in done.stdout
    assert "the scanner answers" not in done.stdout
