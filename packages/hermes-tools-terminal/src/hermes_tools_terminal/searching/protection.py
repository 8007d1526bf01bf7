"""Keeps files out of what a search tells that may not be read unasked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from hermes_tools_terminal.guarding import path_policy
from hermes_tools_terminal.searching.suspects import suspects, telling

# The kernel's own, where names and links follow no rules.
_STRANGE = ("/proc", "/dev", "/sys", "/run")


class Protection:
    """Says which of the files that were found may be told about.

    A rule that already speaks of the searched folder was decided on before the search began, and is not asked again.

    Args:
        root: The searched folder, absolute and without links.
        decided: What was asked for by name: the folder, or a file in it.
        workspace: The task's folder.
        home: The user's home in the place; this machine's when it is None.
        agent: The agent's own home there; the usual one when it is empty.
    """

    def __init__(self, root: str, *, decided: str, workspace: str, home: str | None, agent: str = "") -> None:
        self._root = root
        self._policy = path_policy(agent)
        own = os.path.relpath(os.path.realpath(agent), root) if agent else ".."
        self._agent = b"" if own == ".." or own.startswith("../") else os.fsencode(own)
        self._workspace = workspace or None
        self._home = home
        self._decided = self._rules(decided)
        self._names = _names(os.fsencode(root))
        here = suspects(telling().intersection(self._names))
        self._all = (
            root == "/"
            or root.startswith(_STRANGE)
            or bool(here.folders.among(self._names))
            or bool(agent and os.path.commonpath([os.path.realpath(agent), root]) == os.path.realpath(agent))
        )

    def hidden(self, paths: Sequence[bytes]) -> set[bytes]:
        """Those of some files that are left out.

        Args:
            paths: Where they are, from the searched folder on.
        """
        return {path for path in self._suspect(paths) if self.hides(path)}

    def hides(self, path: bytes) -> bool:
        """Whether a file is left out."""
        return not self._rules(os.path.join(self._root, os.fsdecode(path))) <= self._decided

    def _suspect(self, paths: Sequence[bytes]) -> Iterable[bytes]:
        """Those that some rule may speak of."""
        if self._all:
            return paths
        by_folder: dict[bytes, list[bytes]] = {}
        for path in paths:
            folder, _, name = path.rpartition(b"/")
            by_folder.setdefault(folder, []).append(name)
        here = suspects(telling().intersection(self._names))
        folders = _names(b"/".join(by_folder))
        special = here.folders.among(folders) | {name for name in folders if name.lower() in telling()}
        ordinary = [name for folder, names in by_folder.items() if not _passes(folder, special) for name in names]
        names = here.names.among(list({*ordinary}))
        found = [path for path in paths if path.rpartition(b"/")[2] in names] if names else []
        if self._agent:  # its name need not tell what it is
            found += [path for path in paths if path.startswith(self._agent + b"/")]
        for folder, inside in by_folder.items():
            if _passes(folder, special):
                found += self._suspect_in(folder, inside)
        return found

    def _suspect_in(self, folder: bytes, names: list[bytes]) -> list[bytes]:
        """Those in a folder with a name of its own."""
        parts = _names(folder)
        known = suspects(telling().intersection([*self._names, *parts]))
        chosen = names if known.folders.among(parts) else [name for name in names if name in known.names.among(names)]
        return [folder + b"/" + name if folder else name for name in chosen]

    def _rules(self, path: str) -> frozenset[str]:
        return frozenset(self._policy.judge("read", path, workspace=self._workspace, home=self._home).rules)


def _names(path: bytes) -> list[bytes]:
    return list({name.lower() for name in path.split(b"/") if name})


def _passes(folder: bytes, special: set[bytes]) -> bool:
    return bool(special) and not special.isdisjoint(folder.lower().split(b"/"))
