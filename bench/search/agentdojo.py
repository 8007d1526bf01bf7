"""Functions of AgentDojo's bank, chat, travel agency and office as tools; the tasks that users give as questions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.search.sets import EvalSet, Question, definition, halved, merged

_PARAMETER = re.compile(r":param (\w+):\s*(.*?)(?=\n\s*:|\Z)", re.DOTALL)


def sets(folder: Path) -> Iterator[EvalSet]:
    """Both halves of the tasks, asked of the functions of all places. Any function that a task needs would do."""
    suites = folder / "agentdojo" / "agentdojo" / "default_suites"
    used = {name for file in suites.glob("v1/*/task_suite.py") for name in _used(file)}
    tools = {
        node.name: _tool(node)
        for file in sorted(suites.glob("v1/tools/*.py"))
        for node in _body(file)
        if isinstance(node, ast.FunctionDef) and node.name in used
    }
    tasks: dict[tuple[str, str], Question] = {}
    # Later versions come later: what they say of a task counts.
    for file in sorted(suites.glob("v1*/*/user_tasks.py")):
        for node in _body(file):
            if isinstance(node, ast.ClassDef) and (task := _task(node)) and task.wanted:
                tasks[file.parent.name, node.name] = task
    yield from halved("agentdojo", list(tools.values()), merged(tasks.values()))


def _body(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text(encoding="utf-8")).body


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def _used(file: Path) -> Iterator[str]:
    for name, value in _assigned(_body(file)):
        if name == "TOOLS" and isinstance(value, ast.List):
            yield from (it.id for it in value.elts if isinstance(it, ast.Name))


def _tool(function: ast.FunctionDef) -> dict[str, Any]:
    """The parameters are the documented ones: the others are given by the benchmark, not by who calls."""
    doc = ast.get_docstring(function) or ""
    description = re.split(r":(?:param|return)", doc)[0]
    parameters = [(name, " ".join(text.split())) for name, text in _PARAMETER.findall(doc)]
    return definition(function.name, " ".join(description.split()), parameters)


def _task(node: ast.ClassDef) -> Question | None:
    known: dict[str, str] = {}
    for name, value in _assigned(node.body):
        known[name] = _text(value, known)
    calls = [
        keyword.value.value
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "ground_truth"
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "FunctionCall"
        for keyword in call.keywords
        if keyword.arg == "function" and isinstance(keyword.value, ast.Constant)
    ]
    if "PROMPT" not in known:
        return None
    return Question(" ".join(known["PROMPT"].split()), frozenset(map(str, calls)), "task")


def _text(node: ast.expr, known: dict[str, str]) -> str:
    """What an expression says, as far as it is made of texts and of names for texts."""
    match node:
        case ast.Constant(value):
            return str(value)
        case ast.Name(name):
            return known.get(name, "")
        case ast.JoinedStr(parts):
            return "".join(_text(it, known) for it in parts)
        case ast.BinOp(left, ast.Add(), right):
            return _text(left, known) + _text(right, known)
        case ast.FormattedValue(value):
            return _text(value, known)
        case ast.List(items):
            return ", ".join(_text(it, known) for it in items)
        case ast.Call(ast.Attribute(_, "join"), [items]):
            return _text(items, known)
    return ""
