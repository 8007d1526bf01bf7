"""Checks from metadata whether the extra of a distribution is installed, and which extra provides a module."""

from __future__ import annotations

import ast
import operator
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires
from typing import Any, NamedTuple

from hermes_files.installed_packages import normalize

_REQUIREMENT = re.compile(
    r"\s*(?P<name>\w(?:[\w.-]*\w)?)\s*(?:\[(?P<extras>[\w\s.,-]*)\])?\s*"
    r"(?:@\s*\S+|\(?(?P<range>\s*(?:[~=!<>]=?=?\s*[\w.*+!-]+\s*,?\s*)*)\)?)\s*(?:;(?P<marker>.*))?",
    re.ASCII | re.DOTALL,
)
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_CLAUSE = re.compile(r"([~=!<>]=?=?)\s*([\w.*+!-]+)")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"==": operator.eq, "===": operator.eq, "!=": operator.ne}
_OPERATORS |= {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_PLATFORM = ("machine", "python_implementation", "release", "system", "version")


class _Requirement(NamedTuple):
    name: str
    extras: tuple[str, ...]
    range: str
    marker: str


def missing_from(wanted: str) -> str | None:
    """Return the first distribution that `package[extra]` requires on this machine and that is not installed.

    Raises:
        ValueError: this is not the name of an extra, or the distribution has no such extra.
    """
    first = _parse(wanted)
    if first is None:
        raise ValueError(f"{wanted!r} is not the name of an extra")
    todo, seen = [first], set[tuple[str, str]]()
    while todo:
        requirement = todo.pop()
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:
            return requirement.name
        if not _is_within(found.version, requirement.range):
            return f"{requirement.name}{requirement.range}"
        offered = {normalize(extra) for extra in found.metadata.get_all("Provides-Extra") or ()}
        for extra in map(normalize, requirement.extras):
            if extra not in offered:
                raise ValueError(f"{requirement.name} has no extra {extra!r}")
            if (requirement.name, extra) in seen:  # extras may name each other
                continue
            seen.add((requirement.name, extra))
            added = (_parse(line) for line in found.requires or ())
            todo += [each for each in added if each and _adds(each.marker, extra)]
    return None


def find_requirement(shipped: str, module: str) -> str | None:
    """Return what to install for a module that a distribution requires: `distribution`, or `distribution[extra]`.

    Names are compared, because the modules of missing distributions are unknown; None when no name is similar.
    """
    try:
        lines = requires(shipped) or []
    except (PackageNotFoundError, OSError, ValueError):
        return None
    for requirement in filter(None, map(_parse, lines)):
        name = normalize(requirement.name)
        plain = name.removeprefix("python-").removesuffix("-python")
        if normalize(module.partition(".")[0]) in (name, plain, plain.removeprefix("py")):
            extra = _EXTRA.search(requirement.marker)
            return f"{shipped}[{extra[1]}]" if extra else shipped
    return None


def find_missing(distributions: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield direct and indirect requirements of distributions, including extras, that are not installed.

    Some versions of pip forget the extras of a dependency that was required before without them, and `pip check` does
    not check extras. Requirements for other platforms or versions of Python are skipped.

    Yields:
        The given distribution, the missing one, and the one that requires it.
    """
    read = cache(requires)
    for given in distributions:
        waiting, seen = [(_Requirement(given, (), "", ""), "")], set[tuple[str, str]]()
        while waiting:
            requirement, source = waiting.pop()
            name = normalize(requirement.name)
            for extra in ("", *map(normalize, requirement.extras)):
                if (name, extra) in seen:
                    continue
                seen.add((name, extra))
                try:
                    lines = read(name) or ()
                except PackageNotFoundError:
                    if source and not extra:
                        yield given, name, source
                    continue
                dependent = f"{name}[{extra}]" if extra else name
                required = filter(None, map(_parse, lines))
                needed = (each for each in required if (_adds(each.marker, extra) if extra else not each.marker))
                waiting += [(each, dependent) for each in needed]


def _parse(line: str) -> _Requirement | None:
    found = _REQUIREMENT.fullmatch(line)
    if found is None:
        return None
    extras = tuple(extra.strip() for extra in (found["extras"] or "").split(",") if extra.strip())
    return _Requirement(found["name"], extras, "".join((found["range"] or "").split()), found["marker"] or "")


def _is_within(version: str, wanted: str) -> bool:
    """Compare releases only: the installer decides about pre-releases."""
    return all(_compare(version, sign, than) for sign, than in _CLAUSE.findall(wanted))


def _compare(version: str, sign: str, than: str) -> bool:
    have, other = _release(version), _release(than)
    if sign == "~=":
        return have >= other and have[: len(other) - 1] == other[:-1]
    size = len(other) if than.endswith(".*") else max(len(have), len(other))
    return _OPERATORS[sign](*((each + (0,) * size)[:size] for each in (have, other)))


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"v?(?:\d+!)?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else ()


def _adds(marker: str, extra: str) -> bool:
    """Return True when a dependency is required only with an extra."""
    try:
        tree = ast.parse(marker.strip(), mode="eval").body  # a marker is a Python expression, but for ~= and ===
        return _holds(tree, _environment(extra)) and not _holds(tree, _environment(""))
    except (SyntaxError, ValueError, KeyError, RecursionError):
        return False


def _holds(node: ast.expr, environment: Mapping[str, str]) -> bool:
    if isinstance(node, ast.BoolOp):
        judge = all if isinstance(node.op, ast.And) else any
        return judge(_holds(part, environment) for part in node.values)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise ValueError("not a marker")
    sides = (node.left, node.comparators[0])
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    left, right = (
        environment[side.id] if isinstance(side, ast.Name) else str(ast.literal_eval(side)) for side in sides
    )
    if isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return (left in right) is isinstance(node.ops[0], ast.In)
    sign = _SIGNS[type(node.ops[0])]
    if names == ["extra"]:
        left, right = normalize(left), normalize(right)
    is_version = any(name.endswith("version") for name in names) and _release(left) and _release(right)
    return _compare(left, sign, right) if is_version else _OPERATORS[sign](left, right)


def _environment(extra: str) -> dict[str, str]:
    version = platform.python_version()
    return {
        **{f"platform_{name}": getattr(platform, name)() for name in _PLATFORM},
        **dict.fromkeys(("implementation_version", "python_full_version"), version),
        "extra": extra,
        "os_name": os.name,
        "sys_platform": sys.platform,
        "implementation_name": sys.implementation.name,
        "python_version": ".".join(version.split(".")[:2]),
    }
