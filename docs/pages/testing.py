"""The kit for plugin authors, and the fixtures of its pytest plugin."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docs.pages.docstrings import member, members, prose, signature
from docs.pages.pieces import code, table

import hermes_kit


def page() -> str:
    """Generate the page."""
    summary = (inspect.getdoc(hermes_kit) or "").splitlines()[0]
    exported = [_described(name, getattr(hermes_kit, name)) for name in hermes_kit.__all__]
    return "\n\n".join(
        [
            f"# Testing\n\n{summary} [Test a plugin](../how-to/test-a-plugin.md) shows how to use it. "
            "Import these names from `hermes_kit`.",
            "## Fixtures\n\npytest finds these fixtures if `hermes-kit` is installed.",
            table(["fixture", "uses", "description"], _fixtures()),
            "## Names",
            *exported,
        ]
    )


def _fixtures() -> Iterator[tuple[str, str, str]]:
    """The functions marked as fixtures, from the source: pytest hides the functions themselves."""
    found = find_spec("hermes_kit.pytest_plugin")
    assert found is not None
    assert found.origin is not None
    for node in ast.parse(Path(found.origin).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and any("fixture" in ast.unparse(mark) for mark in node.decorator_list):
            text = " ".join((ast.get_docstring(node) or "").split())
            yield f"`{node.name}`", code(argument.arg for argument in node.args.args), text


def _described(name: str, value: Any) -> str:
    returns = "" if isinstance(value, type) else f" -> {inspect.signature(value).return_annotation}"
    parts = [f"### {name}\n\n```text\n{name}{signature(value)}{returns}\n```", prose(value)]
    if isinstance(value, type):
        parts += [member(name, key, value) for key in members(value) if not key.startswith("hermes_")]
    return "\n\n".join(parts)
