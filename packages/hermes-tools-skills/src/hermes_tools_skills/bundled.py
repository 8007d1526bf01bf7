"""Copy the skills that this package ships into `$HERMES_HOME/skills`, and update them unless the user changed them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hermes_editing.diff import unified
from hermes_files.atomic import write_atomic
from hermes_tools_skills.scanner import hash_content
from hermes_tools_skills.store import INCOMPLETE, SkillStore, remove_tree

SOURCE = Path(__file__).parent / "bundled"
"""The shipped skills: a directory for each category, with a directory for each skill."""

MANIFEST = ".bundled_manifest"
"""Lines `name:digest` with the version of each skill that was copied last."""

Status = Literal["new", "current", "updated", "changed by the user", "deleted by the user", "name is taken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledSkill:
    """A shipped skill, compared with its copy.

    Attributes:
        name: Its path below the root: `hermes/write-a-skill`.
        status: What is the case with the copy. `new` and `updated` are copied by `seed`.
        outdated: Whether the shipped version has changed since the copy that the user changed.
    """

    name: str
    status: Status
    outdated: bool = False


def seed(root: Path, source: Path = SOURCE) -> list[BundledSkill]:
    """Copy new skills, update unchanged ones, and return the state of all before that.

    What the user changed, deleted or called by the same name stays as it is.

    Raises:
        OSError: A file cannot be written.
        ContentError: A file cannot be read.
    """
    if not _is_stale(root, source):
        return []
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = SkillStore(root)
    with store.locked():
        recorded = read_manifest(root)
        shipped = {name: hash_content(source / name) for name in _names(source)}
        found = list(_compare(root, shipped, recorded))
        for each in found:
            if each.status in ("new", "updated"):
                _copy(store, source / each.name, root / each.name)
        unchanged = {each.name: recorded[each.name] for each in found if each.status == "changed by the user"}
        write_manifest(root, {**shipped, **unchanged})
    return found


def compare(root: Path, source: Path = SOURCE) -> list[BundledSkill]:
    """Return the state of all shipped skills. Raises `OSError` or `ContentError`."""
    shipped = {name: hash_content(source / name) for name in _names(source)}
    return list(_compare(root, shipped, read_manifest(root)))


def _compare(root: Path, shipped: Mapping[str, str], recorded: Mapping[str, str]) -> Iterator[BundledSkill]:
    for name, digest in shipped.items():
        origin, copy = recorded.get(name), root / name
        if not os.path.lexists(copy):
            yield BundledSkill(name=name, status="new" if origin is None else "deleted by the user")
        elif copy.is_dir() and not copy.is_symlink() and (present := hash_content(copy)) in (digest, origin):
            yield BundledSkill(name=name, status="current" if present == digest else "updated")
        elif origin is None:
            yield BundledSkill(name=name, status="name is taken")
        else:
            yield BundledSkill(name=name, status="changed by the user", outdated=origin != digest)


def diff(root: Path, name: str, source: Path = SOURCE) -> str:
    """Return what restoring the shipped version of a skill would change. Raises `OSError` or `ContentError`."""
    names = sorted({*_files(root / name), *_files(source / name)})
    return "".join(unified(_text(root / name / file), _text(source / name / file), f"{name}/{file}") for file in names)


def restore(root: Path, name: str, source: Path = SOURCE) -> None:
    """Replace the copy of a skill by the shipped version. Raises `OSError` or `ContentError`."""
    store = SkillStore(root)
    with store.locked():
        _copy(store, source / name, root / name)
        write_manifest(root, {**read_manifest(root), name: hash_content(source / name)})


def is_unchanged(root: Path, directory: Path, source: Path = SOURCE) -> bool:
    """Return whether a skill is exactly the one that this package ships."""
    name = directory.relative_to(os.path.realpath(root)).as_posix()
    return name in _names(source) and hash_content(directory) == hash_content(source / name)


def _is_stale(root: Path, source: Path) -> bool:
    """Return whether the shipped skills differ from those that were copied last: a few reads, at every start."""
    recorded = read_manifest(root)
    names = _names(source)
    return set(recorded) != set(names) or any(recorded[name] != hash_content(source / name) for name in names)


def _names(source: Path) -> list[str]:
    return sorted(file.parent.relative_to(source).as_posix() for file in source.glob("*/*/SKILL.md"))


def _copy(store: SkillStore, shipped: Path, target: Path) -> None:
    folder = store.root / INCOMPLETE / os.urandom(8).hex()
    try:
        shutil.copytree(shipped, folder / "version", ignore=shutil.ignore_patterns("__pycache__"))
        target.parent.mkdir(parents=True, exist_ok=True)
        store.swap(folder / "version", target)
    finally:
        remove_tree(folder)


def read_manifest(root: Path) -> dict[str, str]:
    """Return the digest of each skill that was copied, by name; nothing if there is no manifest."""
    try:
        lines = (root / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    return {name: digest for name, colon, digest in (line.partition(":") for line in lines) if colon}


def write_manifest(root: Path, recorded: Mapping[str, str]) -> None:
    """Store the digest of each skill that was copied. Raises `OSError` or `ContentError`."""
    text = "".join(f"{name}:{digest}\n" for name, digest in sorted(recorded.items()))
    write_atomic(root / MANIFEST, text.encode())


def _files(directory: Path) -> list[str]:
    return [path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
