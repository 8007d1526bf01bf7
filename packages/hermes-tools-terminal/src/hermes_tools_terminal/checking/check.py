"""Finds who can check a file."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from hermes_tools_terminal.checking.json_text import json_problems, may_have_comments
from hermes_tools_terminal.checking.problem import Problem, UncheckedError
from hermes_tools_terminal.checking.programs import Run, program_problems, programs
from hermes_tools_terminal.checking.python_code import python_problems
from hermes_tools_terminal.checking.toml_text import toml_problems
from hermes_tools_terminal.checking.yaml_text import yaml_problems

_HERE: dict[str, Callable[[str], list[Problem]]] = {
    ".py": python_problems,
    ".pyi": python_problems,
    ".pyw": python_problems,
    ".yaml": yaml_problems,
    ".yml": yaml_problems,
    ".toml": toml_problems,
}
_JSON = frozenset({".json", ".ipynb", ".geojson", ".webmanifest"})


def check(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """What is wrong with the syntax of a text; None when nobody can tell.

    Args:
        name: The path or the name of its file.
        text: The text.
        run: Runs programs that know other languages.
    """
    try:
        return problems(name, text, run)
    except UncheckedError:
        return None


def problems(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """What is wrong with the syntax of a text; None when nobody checks files of that kind.

    Args:
        name: The path or the name of its file.
        text: The text.
        run: Runs programs that know other languages.

    Raises:
        UncheckedError: such files are checked, but this one cannot be.
    """
    text = text.removeprefix("\ufeff")
    extension = posixpath.splitext(name)[1].lower()
    if extension in _JSON or may_have_comments(name.lower()):
        return json_problems(name.lower(), text)
    if extension in _HERE:
        return _HERE[extension](text)
    candidates = programs(extension, text)
    if not candidates or run is None:
        return None
    return program_problems(candidates, text, run)
