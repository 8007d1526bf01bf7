"""What differs between two versions of a skill, and what three versions give when they are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hermes_editing.diff import matching_blocks, unified
from hermes_tools_skills.providers.protocol import SkillFile

_MAX_DIFF_BYTES = 512 * 1024
"""Larger files are named without their lines."""

Policy = Literal["merge", "keep", "replace"]
"""What to do with local changes: merge them, keep them where both sides changed a file, or replace them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that differs between two versions.

    Attributes:
        path: The file.
        kind: What happened to it.
        diff: The changed lines; empty for binary and large files.
    """

    path: str
    kind: Literal["added", "removed", "changed"]
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A merged version.

    Attributes:
        files: Its files.
        conflicts: The files of which both sides changed the same lines, or that cannot be merged.
        local: The files in which local changes remain.
        lost: The files whose local changes are replaced.
    """

    files: tuple[SkillFile, ...]
    conflicts: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def by_path(files: Iterable[SkillFile]) -> dict[str, SkillFile]:
    """Return files by their path."""
    return {file.path: file for file in files}


def compare_files(before: Mapping[str, SkillFile], after: Mapping[str, SkillFile]) -> list[FileChange]:
    """Return the files that differ, sorted by path."""
    changes = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        kind: Literal["added", "removed", "changed"] = (
            "added" if old is None else "removed" if new is None else "changed"
        )
        changes.append(FileChange(path=path, kind=kind, diff=_diff(path, old, new)))
    return changes


def _diff(path: str, old: SkillFile | None, new: SkillFile | None) -> str:
    before, after = (_text(file) for file in (old, new))
    if before is None or after is None:
        return ""
    if before == after and old and new:
        return f"mode of {path}: {'' if new.executable else 'not '}executable\n"
    return unified(before, after, path)


def _text(file: SkillFile | None) -> str | None:
    """Return the text of a file; None if it is binary or large."""
    if file is None:
        return ""
    if len(file.data) > _MAX_DIFF_BYTES or b"\0" in file.data:
        return None
    try:
        return file.data.decode()
    except UnicodeDecodeError:
        return None


def merge_versions(
    base: Mapping[str, SkillFile], local: Mapping[str, SkillFile], new: Mapping[str, SkillFile], policy: Policy
) -> Merge:
    """Merge local changes of a base version into a new one.

    Files that only one side changed are taken from that side. `policy` decides about the others; files that exist only
    locally always stay, unless the new version has a file of the same name.
    """
    files: list[SkillFile] = []
    conflicts: list[str] = []
    remaining: list[str] = []
    lost: list[str] = []
    for path in sorted({*base, *local, *new}):
        old, mine, theirs = base.get(path), local.get(path), new.get(path)
        chosen: SkillFile | None
        if mine in (old, theirs):
            chosen = theirs
        elif theirs == old and (policy != "replace" or old is None):
            chosen = mine
            remaining.append(path)
        elif policy == "replace":
            chosen = theirs
            lost.append(path)
        elif policy == "keep":
            chosen = mine
            remaining.append(path)
        else:
            chosen = _merge_file(old, mine, theirs)
            (remaining if chosen else conflicts).append(path)
            chosen = chosen or mine
        if chosen is not None:
            files.append(chosen)
    return Merge(files=tuple(files), conflicts=tuple(conflicts), local=tuple(remaining), lost=tuple(lost))


def _merge_file(old: SkillFile | None, mine: SkillFile | None, theirs: SkillFile | None) -> SkillFile | None:
    """Merge three versions of a file; None if they conflict."""
    if old is None or mine is None or theirs is None:
        return None
    texts = [_text(file) for file in (old, mine, theirs)]
    base, local, new = (None if text is None else text.splitlines(keepends=True) for text in texts)
    if base is None or local is None or new is None:
        return None
    merged = merge_lines(base, local, new)
    if merged is None:
        return None
    executable = mine.executable if theirs.executable == old.executable else theirs.executable
    return SkillFile(path=theirs.path, data="".join(merged).encode(), executable=executable)


def merge_lines(base: Sequence[str], local: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """Merge two changed versions of some lines; None if both changed the same ones in different ways."""
    in_local, in_new = _positions(base, local), _positions(base, new)
    merged: list[str] = []
    at_base = at_local = at_new = 0
    for line in [*(line for line in range(len(base)) if line in in_local and line in in_new), len(base)]:
        is_end = line == len(base)
        to_local, to_new = (len(local), len(new)) if is_end else (in_local[line], in_new[line])
        old, mine, theirs = base[at_base:line], local[at_local:to_local], new[at_new:to_new]
        if mine in (old, theirs):
            merged += theirs
        elif theirs == old:
            merged += mine
        else:
            return None
        if not is_end:
            merged.append(base[line])
        at_base, at_local, at_new = line + 1, to_local + 1, to_new + 1
    return merged


def _positions(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    """Return where each line of a text is in another one, for the lines that are equal."""
    return {
        at + offset: to + offset for at, to, size in matching_blocks(list(base), list(other)) for offset in range(size)
    }
