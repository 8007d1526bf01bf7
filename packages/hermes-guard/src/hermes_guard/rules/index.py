"""Generates the index of judging functions: `python -m hermes_guard.rules.index`."""

import json
from collections.abc import Callable
from typing import Any

from hermes_guard.rules import registry

_PREFIX = "hermes_guard.rules."
#: Findings of these modules come before those of their neighbors.
_FIRST = frozenset({"remote_code.packages"})


def make_index() -> str:
    """Return the content of the index file: one line per function, in calling order."""
    index: dict[str, dict[str, dict[str, list[str]]]] = {"asking": {}, "refusing": {}}
    for family in registry.families():
        judged: dict[Callable[..., Any], list[str]] = {}
        for program, functions in family.judges_by_program.items():
            for function in functions:
                judged.setdefault(function, []).append(program)
        refuses = any(rule.severity == "refuse" for rule in family.rules)
        index["refusing" if refuses else "asking"][family.name] = {
            f"{function.__module__.removeprefix(_PREFIX)}:{function.__qualname__}": sorted(judged[function])
            for function in sorted(judged, key=_sort_key)
        }
    return _text(index)


def _sort_key(function: Callable[..., Any]) -> tuple[bool, str, int]:
    module = function.__module__.removeprefix(_PREFIX)
    return module not in _FIRST, module, function.__code__.co_firstlineno


def _text(index: dict[str, dict[str, dict[str, list[str]]]]) -> str:
    lines = []
    for kind, families in index.items():
        inner = []
        for family, functions in families.items():
            rows = ",\n".join(f"   {json.dumps(name)}: {json.dumps(judged)}" for name, judged in functions.items())
            inner.append(f"  {json.dumps(family)}: {{\n{rows}\n  }}")
        lines.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(inner) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    registry.INDEX.write_text(make_index(), encoding="utf-8")
