"""Find files that a search must not show, using the names in the guard's rules to skip most files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hermes_tools_terminal.command_assessment import path_policy

# Names that cannot be spelled differently.
_PLAIN = re.compile(rb"[A-Za-z0-9_@+=,.-]*[A-Za-z0-9_@+=,-]")
_ALL_PLAIN = re.compile(rb"(?:[A-Za-z0-9_@+=,.-]*[A-Za-z0-9_@+=,-]\n)*")
_WILD = re.compile(r"[*?\[]")
# Directories in a home that other systems and sandboxes name differently: they do not identify a rule.
_RENAMED = frozenset({b".config", b".local", b".cache", b".hermes", b"share"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """What all paths that match a pattern have in common.

    Attributes:
        last: The last component, or a glob of it.
        others: Further components.
        deep: Whether everything below also matches.
    """

    last: str
    others: frozenset[bytes]
    deep: bool


@dataclass(frozen=True, slots=True)
class SuspectNames:
    """The names that make a path suspect."""

    names: _Words
    folders: _Words


@dataclass(frozen=True, slots=True)
class _Words:
    """Names and globs, indexed so that a name is compared with few of them. The match is broader than the globs.

    Attributes:
        exact: Whole names.
        heads: Prefixes, by their first two characters.
        tails: Suffixes, by their last two characters.
        inside: Other parts.
        anything: Whether every name matches.
    """

    exact: frozenset[bytes]
    heads: Mapping[bytes, tuple[bytes, ...]]
    tails: Mapping[bytes, tuple[bytes, ...]]
    inside: re.Pattern[bytes]
    anything: bool

    def among(self, names: Sequence[bytes]) -> set[bytes]:
        """Return the matching names."""
        text = b"\n".join([*names, b""])
        if self.anything:
            return set(names)
        if text.count(b"\n") > len(names):  # some contain line feeds
            odd = {name for name in names if b"\n" in name}
            return odd | self.among([name for name in names if name not in odd])
        found = set() if _ALL_PLAIN.fullmatch(text) else {name for name in names if not _PLAIN.fullmatch(name)}
        exact, heads, tails = self.exact, self.heads, self.tails
        folded = text.lower().split(b"\n")
        likely = [
            number
            for number, name in enumerate(folded[:-1])
            if name in exact or name[:2] in heads or name[-2:] in tails
        ]
        found.update(names[number] for number in likely if self._matches(folded[number]))
        if self.inside.search(text.lower()):
            found.update(name for name in names if self.inside.search(name.lower()))
        return found

    def _matches(self, name: bytes) -> bool:
        return (
            name in self.exact
            or name.startswith(self.heads.get(name[:2], ()))
            or name.endswith(self.tails.get(name[-2:], ()))
        )


@cache
def _shapes() -> tuple[_Shape, ...]:
    from hermes_guard import PathPolicy

    found = {}
    for rule in PathPolicy().rules:
        if "read" in rule.ops and rule.severity != "allow":
            found.update(dict.fromkeys(_shape(pattern.lower()) for pattern in rule.patterns))
    return tuple(found)


def _shape(pattern: str) -> _Shape:
    names = [name for name in pattern.split("/") if name not in ("", "~", "**")]
    others = frozenset(name.encode() for name in names[:-1] if not _WILD.search(name)) - _RENAMED
    return _Shape(names[-1] if names else "*", others, pattern.endswith("/**"))


@cache
def deciding_names() -> frozenset[bytes]:
    """Return the directory names that decide which files are suspect."""
    return frozenset().union(*(shape.others for shape in _shapes()))


@cache
def suspect_names(around: frozenset[bytes]) -> SuspectNames:
    """Return the suspect names in a directory with these deciding names in its path."""
    suspect = [shape for shape in _shapes() if shape.others <= around]
    return SuspectNames(_words(shape.last for shape in suspect), _words(shape.last for shape in suspect if shape.deep))


def _words(names: Iterable[str]) -> _Words:
    known = sorted({name.encode() for name in names})
    heads: dict[bytes, list[bytes]] = {}
    tails: dict[bytes, list[bytes]] = {}
    inside = []
    anything = False
    for glob in known:
        head, *middle, tail = re.split(rb"(?:\*|\?|\[.[^]]*\])+", glob) if _WILD.search(glob.decode()) else (b"", b"")
        longest = max((head, tail, *middle), key=len)
        if not _WILD.search(glob.decode()):
            continue
        if len(longest) < 2 or _WILD.search(longest.decode()):
            anything = True
        elif longest == head:
            heads.setdefault(head[:2], []).append(head)
        elif longest == tail:
            tails.setdefault(tail[-2:], []).append(tail)
        else:
            inside.append(re.escape(longest))
    expression = re.compile(b"|".join(inside) or b"(?!)")
    return _Words(frozenset(known), _tuples(heads), _tuples(tails), expression, anything)


def _tuples(found: dict[bytes, list[bytes]]) -> dict[bytes, tuple[bytes, ...]]:
    return {key: tuple(values) for key, values in found.items()}


# File systems of the kernel, where names and links follow other rules.
_KERNEL_FILESYSTEMS = ("/proc", "/dev", "/sys", "/run")


class Protection:
    """Tells which of the found files may be shown.

    Rules that apply to the searched directory itself were decided before the search, and do not apply again.

    Args:
        root: The absolute real path of the searched directory.
        decided: The path of the request: the directory, or a file in it.
        workspace: The task's workspace.
        home: The user's home in the environment; that of this machine when it is None.
        agent: The agent's home in the environment; the usual one when it is empty.
    """

    def __init__(self, root: str, *, decided: str, workspace: str, home: str | None, agent: str = "") -> None:
        self._root = root
        self._policy = path_policy(agent)
        relative = os.path.relpath(os.path.realpath(agent), root) if agent else ".."
        self._agent = b"" if relative == ".." or relative.startswith("../") else os.fsencode(relative)
        self._workspace = workspace or None
        self._home = home
        self._decided = self._rules(decided)
        self._names = _names(os.fsencode(root))
        suspect = suspect_names(deciding_names().intersection(self._names))
        self._all = (
            root == "/"
            or root.startswith(_KERNEL_FILESYSTEMS)
            or bool(suspect.folders.among(self._names))
            or bool(agent and os.path.commonpath([os.path.realpath(agent), root]) == os.path.realpath(agent))
        )

    def hidden(self, paths: Sequence[bytes]) -> set[bytes]:
        """Return the protected files among some paths relative to the searched directory."""
        return {path for path in self._suspect(paths) if self.hides(path)}

    def hides(self, path: bytes) -> bool:
        """Return whether a file is protected."""
        return not self._rules(os.path.join(self._root, os.fsdecode(path))) <= self._decided

    def _suspect(self, paths: Sequence[bytes]) -> Iterable[bytes]:
        """Return the files to which a rule may apply."""
        if self._all:
            return paths
        by_folder: dict[bytes, list[bytes]] = {}
        for path in paths:
            folder, _, name = path.rpartition(b"/")
            by_folder.setdefault(folder, []).append(name)
        suspect = suspect_names(deciding_names().intersection(self._names))
        folders = _names(b"/".join(by_folder))
        special = suspect.folders.among(folders) | {name for name in folders if name.lower() in deciding_names()}
        ordinary = [name for folder, names in by_folder.items() if not _passes(folder, special) for name in names]
        names = suspect.names.among(list({*ordinary}))
        found = [path for path in paths if path.rpartition(b"/")[2] in names] if names else []
        if self._agent:  # its path does not have to match any rule
            found += [path for path in paths if path.startswith(self._agent + b"/")]
        for folder, inside in by_folder.items():
            if _passes(folder, special):
                found += self._suspect_in(folder, inside)
        return found

    def _suspect_in(self, folder: bytes, names: list[bytes]) -> list[bytes]:
        """Return the suspect files in a directory with a deciding name in its path."""
        parts = _names(folder)
        known = suspect_names(deciding_names().intersection([*self._names, *parts]))
        chosen = names if known.folders.among(parts) else [name for name in names if name in known.names.among(names)]
        return [folder + b"/" + name if folder else name for name in chosen]

    def _rules(self, path: str) -> frozenset[str]:
        return frozenset(self._policy.judge("read", path, workspace=self._workspace, home=self._home).rules)


def _names(path: bytes) -> list[bytes]:
    return list({name.lower() for name in path.split(b"/") if name})


def _passes(folder: bytes, special: set[bytes]) -> bool:
    return bool(special) and not special.isdisjoint(folder.lower().split(b"/"))
