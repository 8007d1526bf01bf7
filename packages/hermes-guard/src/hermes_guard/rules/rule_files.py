"""Reads rules of users from a TOML file."""

import fnmatch
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes_guard.rules.family import Context, Family, Judge
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

if TYPE_CHECKING:
    from hermes_guard.paths.rule import PathRule

_KEYS = frozenset({"id", "program", "flags", "args", "severity", "reason", "effects", "match", "not_match"})
_LISTS = ("program", "flags", "args", "effects", "match", "not_match")
_TABLES = ("rule", "path")
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,99}\Z", re.ASCII)


class RuleFileError(ValueError):
    """Raised when a rule file is invalid; names the rule and the problem."""


def load(path: str | os.PathLike[str]) -> Family:
    """Load the rule family in a TOML file: its `[[rule]]` tables."""
    return from_data(_tables(path).get("rule", []), name=os.fspath(path))


def load_paths(path: str | os.PathLike[str]) -> "tuple[PathRule, ...]":
    """Load the path rules in a TOML file: its `[[path]]` tables."""
    entries = _tables(path).get("path", [])
    if not entries:
        return ()
    from hermes_guard.paths.rule import rules_from_data

    try:
        return rules_from_data(entries)
    except ValueError as error:
        raise RuleFileError(f"{os.fspath(path)}: {error}") from error


def _tables(path: str | os.PathLike[str]) -> dict[str, list[dict[str, Any]]]:
    import tomllib  # most guards have no user rules

    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise RuleFileError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    for key, value in data.items():
        if key not in _TABLES:
            raise RuleFileError(f"{name}: unknown key {key!r}; rules are [[rule]] and [[path]] tables")
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise RuleFileError(f"{name}: {key!r} is a list of tables: write [[{key}]]")
    return data


def from_data(tables: list[dict[str, Any]], *, name: str = "user") -> Family:
    """Build a rule family from plain data."""
    family = Family(name)
    for number, table in enumerate(tables, 1):
        where = f"{name}: rule {table.get('id', number)}"
        unknown = set(table) - _KEYS
        if unknown:
            raise RuleFileError(f"{where}: unknown keys: {', '.join(sorted(unknown))}")
        if not isinstance(table.get("id"), str) or not table.get("program"):
            raise RuleFileError(f"{where}: `id` and `program` are needed")
        if not _ID.match(table["id"]):
            raise RuleFileError(f"{where!r}: an id is made of letters, digits, dots and dashes, such as `shop.deploy`")
        if table.get("severity", "ask") not in {"ask", "refuse"}:
            raise RuleFileError(f"{where}: severity is `ask` or `refuse`")
        if not isinstance(table.get("reason", ""), str):
            raise RuleFileError(f"{where}: `reason` is a text")
        lists = {key: _texts(where, key, table[key]) for key in _LISTS if key in table}
        if any(known.id == table["id"] for known in family.rules):
            raise RuleFileError(f"{where}: two rules have this id")
        family.judges(*lists["program"])(_judge(family, table | lists))
    return family


def _texts(where: str, key: str, value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RuleFileError(f"{where}: `{key}` is a text or a list of texts")
    return value


def _judge(family: Family, table: dict[str, Any]) -> Judge:
    rule = family.rule(
        table["id"],
        table.get("reason", "a rule of yours asks about this").replace("{", "(").replace("}", ")"),
        severity=table.get("severity", "ask"),
        effects=table.get("effects", ()),
        match=table.get("match", ()),
        not_match=table.get("not_match", ()),
    )
    flags: list[str] = table.get("flags", [])
    globs: list[str] = table.get("args", [])

    def judge(command: Command, _: Context) -> Iterator[Finding]:
        texts = command.texts[1:]
        if all(_has_flag(flag, texts) for flag in flags) and all(
            any(fnmatch.fnmatchcase(text, glob) for text in texts) for glob in globs
        ):
            yield rule.found(command)

    return judge


def _has_flag(flag: str, texts: tuple[str, ...]) -> bool:
    if flag.startswith("--") or len(flag) != 2:
        return any(text == flag or text.startswith(flag + "=") for text in texts)
    # A short flag may be packed with others.
    return any(text[:1] == "-" and text[1:2] != "-" and flag[1] in text[1:] for text in texts)
