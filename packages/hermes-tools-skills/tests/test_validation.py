"""The specification, strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tools_skills.validation import validate_skill


def rules(folder: Path, text: str | bytes, name: str = "deploy") -> list[str]:
    directory = folder / name
    directory.mkdir()
    (directory / "SKILL.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return [problem.rule for problem in validate_skill(directory)]


def front(lines: str, body: str = "Do it.\n") -> str:
    return f"---\n{lines}\n---\n{body}"


GOOD = "name: deploy\ndescription: Deploys."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (front(GOOD), []),
        (front(f"{GOOD}\nlicense: MIT\ncompatibility: any\nmetadata:\n  a: b\nallowed-tools: Bash(git:*) Read"), []),
        (front("description: Deploys."), ["name.missing"]),
        (front("name: Deploy\ndescription: d"), ["name.characters", "name.directory"]),
        (front("name: de--ploy\ndescription: d"), ["name.characters", "name.directory"]),
        (front(f"name: {'x' * 65}\ndescription: d"), ["name.length", "name.directory"]),
        (front("name: deploy"), ["description.missing"]),
        (front("name: deploy\ndescription: ' '"), ["description.missing"]),
        (front(f"name: deploy\ndescription: {'d' * 1025}"), ["description.length"]),
        (front(f"{GOOD}\ncompatibility: {'c' * 501}"), ["compatibility.length"]),
        (front(f"{GOOD}\nallowed-tools: [a]"), ["allowed-tools.type"]),
        (front(f"{GOOD}\nmetadata: text"), ["metadata.type"]),
        (front(f"{GOOD}\nmetadata:\n  a: [b]"), ["metadata.nested"]),
        (front(f"{GOOD}\nauthor: me"), ["field.unknown"]),
        (front(f"{GOOD}\nplatforms: [linux]"), ["field.hermes"]),
        (front(GOOD, ""), ["body.empty"]),
        (front(GOOD, "line\n" * 501), ["body.length"]),
        (front("name: deploy\ndescription: Use: this"), ["frontmatter"]),
        ("\ufeff" + front(GOOD), ["file.bom"]),
        ("no frontmatter", ["frontmatter"]),
        (b"\xff\xfe\0\0", ["file.unreadable"]),
        (front("name: deploy\ndescription: Caf\u00e9.").encode("latin-1"), ["file.encoding"]),
    ],
)
def test_each_deviation_is_a_problem(tmp_path: Path, text: str | bytes, found: list[str]) -> None:
    assert rules(tmp_path, text) == found


def test_a_directory_without_a_skill_is_a_problem(tmp_path: Path) -> None:
    assert [each.rule for each in validate_skill(tmp_path)] == ["file.missing"]
    assert [each.rule for each in validate_skill(tmp_path / "missing")] == ["directory"]
