"""Finds out what a place can be searched with."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from shutil import which

from hermes_tools_terminal.environments.base import Environment
from hermes_tools_terminal.environments.variables import for_commands
from hermes_tools_terminal.searching.grep import Grep
from hermes_tools_terminal.searching.query import Engine, Query
from hermes_tools_terminal.searching.ripgrep import Ripgrep
from hermes_tools_terminal.searching.running import Ground, LocalGround
from hermes_tools_terminal.searching.script import Script

_PROBE = """
if rg --no-config --no-ignore-exclude --no-ignore-messages --version >/dev/null 2>&1; then echo rg; else echo; fi
for python in python3 python; do
  if "$python" -I -S -c "$1" >/dev/null 2>&1; then echo "$python"; break; fi
done
"""
# New enough, and with all modules that `scanning.py` and its neighbours need.
_USABLE = """
import sys, codecs, collections.abc, io, marshal, os, re, stat, types, typing
sys.exit(sys.version_info < (3, 8))
"""


@dataclass(frozen=True, slots=True)
class Programs:
    """What is in a place.

    Attributes:
        ripgrep: How ripgrep is called; empty when there is none.
        python: How a Python that can scan is called; empty when there is none.
    """

    ripgrep: str
    python: str


_known: weakref.WeakKeyDictionary[Environment, Programs] = weakref.WeakKeyDictionary()


def choose(ground: Ground, query: Query, wanted: str = "") -> Engine:
    """The best engine that a place has.

    Args:
        ground: The folder that is searched.
        query: What is searched for.
        wanted: The name of an engine that is to be taken; the best one when it is not given.
    """
    programs = _here() if isinstance(ground, LocalGround) else _elsewhere(ground)
    if programs.ripgrep and wanted in ("", Ripgrep.name) and _sayable(query.file):
        return Ripgrep(ground, query, programs.ripgrep)
    if wanted in ("", Script.name) and (programs.python or isinstance(ground, LocalGround)):
        return Script(ground, query, programs.python)
    return Grep(ground, query)


def _sayable(name: bytes | None) -> bool:
    """Whether a name can be written as a glob of ripgrep's, which is text."""
    try:
        return name is None or bool(name.decode())
    except UnicodeDecodeError:
        return False


def _here() -> Programs:
    return Programs(which("rg", path=for_commands().get("PATH")) or "", "")


def _elsewhere(ground: Ground) -> Programs:
    try:
        known = _known.get(ground.place)
    except TypeError:  # a plugin's place that cannot be a key
        known = None
    if known is not None:
        return known
    said = b"".join(ground.run(["sh", "-c", _PROBE, "sh", _USABLE])).decode(errors="replace").splitlines()
    found = Programs(said[0] if said else "", said[1] if len(said) > 1 else "")
    try:
        _known[ground.place] = found
    except TypeError:
        pass  # as above: it is asked again the next time
    return found
