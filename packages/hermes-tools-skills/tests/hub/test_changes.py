"""Three versions of a skill are merged without losing a local change."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_skills.hub.changes import by_path, compare_files, merge_lines, merge_versions
from hermes_tools_skills.providers.protocol import SkillFile


def versions(**contents: str) -> dict[str, SkillFile]:
    return by_path(SkillFile(path=path, data=data.encode()) for path, data in contents.items())


def texts(files: tuple[SkillFile, ...]) -> dict[str, str]:
    return {file.path: file.data.decode() for file in files}


def test_changes_of_different_lines_are_merged() -> None:
    merged = merge_lines(["a", "b", "c", "d"], ["A", "b", "c", "d"], ["a", "b", "c", "D", "e"])
    assert merged == ["A", "b", "c", "D", "e"]


def test_changes_of_the_same_line_conflict_unless_they_are_equal() -> None:
    assert merge_lines(["a", "b"], ["x", "b"], ["y", "b"]) is None
    assert merge_lines(["a", "b"], ["x", "b"], ["x", "b"]) == ["x", "b"]


_LINES = st.lists(st.sampled_from("abcde"), max_size=12)


@settings(max_examples=300)
@given(_LINES, _LINES)
def test_a_side_that_changed_nothing_never_conflicts(base: list[str], other: list[str]) -> None:
    assert merge_lines(base, base, other) == other
    assert merge_lines(base, other, base) == other
    assert merge_lines(base, other, other) == other


@settings(max_examples=300)
@given(_LINES, _LINES, _LINES)
def test_the_order_of_the_sides_does_not_matter(base: list[str], local: list[str], new: list[str]) -> None:
    assert merge_lines(base, local, new) == merge_lines(base, new, local)


def test_each_file_is_taken_from_the_side_that_changed_it() -> None:
    base = versions(both="1\n2\n3\n", mine="1", theirs="1", gone="1", removed="1")
    local = versions(both="one\n2\n3\n", mine="2", theirs="1", gone="1", added="mine")
    new = versions(both="1\n2\nthree\n", mine="1", theirs="2", removed="1", fresh="new")
    merge = merge_versions(base, local, new, "merge")
    assert texts(merge.files) == {
        "added": "mine",
        "both": "one\n2\nthree\n",
        "fresh": "new",
        "mine": "2",
        "theirs": "2",
    }
    assert merge.conflicts == ()
    assert merge.local == ("added", "both", "mine", "removed")


def test_a_conflict_is_named_and_the_user_decides() -> None:
    base, local, new = versions(a="1", b="1"), versions(a="2", b="1", extra="x"), versions(a="3", b="1")
    assert merge_versions(base, local, new, "merge").conflicts == ("a",)
    assert texts(merge_versions(base, local, new, "keep").files) == {"a": "2", "b": "1", "extra": "x"}
    replaced = merge_versions(base, local, new, "replace")
    assert texts(replaced.files) == {"a": "3", "b": "1", "extra": "x"}
    assert replaced.lost == ("a",)


def test_binary_files_conflict_instead_of_being_merged() -> None:
    base, local, new = (by_path([SkillFile(path="x", data=data)]) for data in (b"\0", b"\0a", b"\0b"))
    assert merge_versions(base, local, new, "merge").conflicts == ("x",)


def test_the_comparison_names_every_changed_file() -> None:
    before = versions(same="1", changed="a\n", removed="x\n")
    after = versions(same="1", changed="b\n", added="y\n")
    changes = {change.path: change for change in compare_files(before, after)}
    assert {path: change.kind for path, change in changes.items()} == {
        "added": "added",
        "changed": "changed",
        "removed": "removed",
    }
    assert "-a\n+b\n" in changes["changed"].diff
