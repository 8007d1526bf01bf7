"""Ansible's modules as tools; the names of the tasks in their documentation as questions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.search.sets import HELD_OUT, TUNING, EvalSet, Question, definition, half_of, thinned

_MARKUP = re.compile(r"\b[A-Z]\(([^)]*)\)")
_LIMIT = 2200
"""How many modules of a half make its catalogue."""


def sets(wheels: Path) -> Iterator[EvalSet]:
    """One set for each half of the collections."""
    halves: dict[str, list[Path]] = {TUNING: [], HELD_OUT: []}
    for file in sorted((wheels / "ansible_collections").glob("*/*/plugins/modules/**/*.py")):
        collection = "/".join(file.relative_to(wheels).parts[1:3])
        if not file.name.startswith("_"):
            halves[half_of(collection)].append(file)
    for half, files in halves.items():
        definitions: dict[str, dict[str, Any]] = {}
        questions: list[Question] = []
        step = max(1, len(files) // _LIMIT)
        for file in files[::step]:
            read = _read(file, wheels)
            if read is not None:
                definitions[read[0]["function"]["name"]] = read[0]
                questions += read[1]
        yield EvalSet("ansible", half, list(definitions.values()), thinned(questions, 1200))


def _read(file: Path, wheels: Path) -> tuple[dict[str, Any], list[Question]] | None:
    texts = _constants(file)
    try:
        about = yaml.load(texts.get("DOCUMENTATION", ""), Loader=yaml.CSafeLoader)
        tasks = yaml.load(texts.get("EXAMPLES", ""), Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
    if not isinstance(about, dict):
        return None
    name = "_".join([*file.relative_to(wheels).parts[1:3], file.stem])
    paragraphs = about.get("description") or []
    said = [paragraphs] if isinstance(paragraphs, str) else [str(it) for it in paragraphs]
    description = _MARKUP.sub(r"\1", " ".join([str(about.get("short_description", "")), *said]))[:500]
    parameters = [
        (str(key), _MARKUP.sub(r"\1", _first(value.get("description"))))
        for key, value in (about.get("options") or {}).items()
        if isinstance(value, dict)
    ]
    named = [task.get("name") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    asked = [it for it in named if isinstance(it, str)]
    questions = [Question(it, frozenset({name}), "task") for it in asked[:2] if len(it.split()) >= 3]
    return definition(name, description, parameters), questions


def _constants(file: Path) -> dict[str, str]:
    try:
        body = ast.parse(file.read_text(encoding="utf-8")).body
    except (SyntaxError, ValueError):
        return {}
    return {
        node.targets[0].id: node.value.value
        for node in body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def _first(description: object) -> str:
    if isinstance(description, list):
        return str(description[0]) if description else ""
    return str(description or "")
