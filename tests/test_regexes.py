"""Regexes match the same text on every supported release of Python.

Before 3.11.5, a possessive quantifier behind a group can match text that the group does not, and captures inside an
atomic group can be wrong up to 3.12. A possessive quantifier behind a single character or class is correct everywhere.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(ROOT.glob("packages/*/src/**/*.py"))
_UNUSUAL = re.compile(r"(?<!\(\))[*+?}]\+|\(\?>")  # `()*+` is no pattern but a list of signs
SINGLE = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}

# Prints every pattern that our code compiles while it is imported, judges the corpus and redacts it.
_COMPILED = """
import importlib, json, pkgutil, re, sys
from re import _compiler

found, compile_pattern = set(), _compiler.compile

def record(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"].split(".")[0] in ("re", "functools", "fnmatch"):
        frame = frame.f_back
    if frame.f_globals["__name__"].startswith("hermes_"):
        found.add((pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern, int(flags) & ~re.U))
    return compile_pattern(pattern, flags)

_compiler.compile = record
for package in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
from bench.guard.score import judged
from hermes_text.secrets import redact
for file in ("attacks", "hardline", "ordinary", "paths"):
    for one in judged(file):
        redact(one.line.command)
print(json.dumps(sorted(found)))
"""


def problems(pattern: str, flags: int = 0) -> list[str]:
    """Name the constructs of a pattern that some releases get wrong."""
    from re import _parser  # type: ignore[attr-defined] # the only parser that knows what `re` will run

    return list(_walk(_parser.parse(pattern, flags), repeated=False))


def _walk(node: Any, *, repeated: bool) -> Iterator[str]:
    for operator, argument in node:
        name = str(operator)
        if name == "POSSESSIVE_REPEAT":
            body = list(argument[2])
            if body and (len(body) > 1 or str(body[0][0]) not in SINGLE):
                yield "possessive quantifier behind a group"
        elif name == "ATOMIC_GROUP" and (repeated or "SUBPATTERN" in str(list(argument))):
            yield "atomic group that is repeated or captures"
        for inner in _inside(argument):
            yield from _walk(inner, repeated=repeated or name.endswith("_REPEAT"))


def _inside(argument: Any) -> Iterator[Any]:
    if isinstance(argument, tuple | list):
        for part in argument:
            yield from _inside(part)
    elif hasattr(argument, "data") and hasattr(argument, "state"):  # a part of a pattern, parsed
        yield argument


@pytest.mark.parametrize(
    "pattern",
    ["(?:ab)*+", "(?:a|bc)++", "(a)?+", "x(?:a(?:bc){2,3}+)*", "(?=(?:ab)++)", "(?>(a)b)", "(?:(?>ab)c)*"],
)
def test_what_releases_disagree_about_is_found(pattern: str) -> None:
    assert problems(pattern)


@pytest.mark.parametrize("pattern", ["a++", "[ab]{2,}+", "(?:a*+b)*", r"\w?+", "(?>a*b)c", "(?=(a*))b"])
def test_what_all_releases_agree_about_may_be_used(pattern: str) -> None:
    assert not problems(pattern)


def test_compiled_patterns_match_the_same_on_every_release() -> None:
    packages = sorted(path.parent.name for path in ROOT.glob("packages/*/src/*/__init__.py"))
    command = [sys.executable, "-W", "ignore", "-c", _COMPILED, *packages]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    patterns = json.loads(done.stdout)
    assert len(patterns) > 1000
    assert not [(pattern, found) for pattern, flags in patterns if (found := problems(pattern, flags))]


def test_patterns_in_the_sources_match_the_same_on_every_release() -> None:
    """Find the patterns that are compiled only when they are needed."""
    wrong = []
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _UNUSUAL.search(node.value):
                try:
                    found = problems(node.value)
                except re.error:  # a piece of a pattern, or no pattern
                    continue
                wrong += [f"{source.relative_to(ROOT)}:{node.lineno}: {problem}" for problem in found]
    assert not wrong
