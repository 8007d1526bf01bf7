"""Patterns for the arguments of a grant: small JSON objects that can be checked, compared and described.

Every function raises `ConfigError` for anything that is not a pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hermes_approval.grants.canonical_json import UnfitError, copied, format_value, same, text
from hermes_approval.matchers.globs import LINE_END, MAX_STARS, SHELL_END, glob_matches
from hermes_approval.matchers.hosts import host_matches, host_name, host_of
from hermes_approval.matchers.paths import leads_into, normal, real, within
from hermes_core.errors import ConfigError
from hermes_schemas.readonly import ReadOnlyDict

Pattern = Mapping[str, Any]
"""One of

| form | what it matches |
|---|---|
| `{"equals": value}` | this JSON value |
| `{"glob": "git push *"}` | text; `*` matches any text without a line break, other characters themselves |
| `{"command": "git push *"}` | text; `*` matches any text of one simple command, without `;`, `&`, `|`, `$`, ... |
| `{"under": "/a/folder"}` | an absolute path that leads into that directory, after links and `..` |
| `{"host": "example.org"}` | a URL at that host; `*.example.org` matches its subdomains |
| `{"any": true}` | everything, also a missing argument |
"""


class _Checked(ReadOnlyDict):
    """A checked pattern, so that no use checks it again."""

    __slots__ = ()


ANY: Pattern = _Checked({"any": True})
_EXAMPLE = '{"equals": "text"}'
_GLOBS = {"glob": LINE_END, "command": SHELL_END}


def checked(pattern: object, *, key: str = "pattern", file: str | None = None) -> Pattern:
    """Return a read-only copy of a pattern in its canonical form. The key of a `ConfigError` says where it is wrong."""
    try:
        return pattern if type(pattern) is _Checked else _Checked(_canonical(pattern))
    except ValueError as error:
        raise ConfigError(f"{error}.", key=key, file=file, example=_EXAMPLE) from error


def under(folder: str) -> Pattern:
    """Return the pattern for a directory and everything in it, with links resolved now."""
    return checked({"under": real(folder) if normal(folder) else folder}, key="under")


def matches(pattern: Pattern, value: object) -> bool:
    """Return True if a pattern matches a value."""
    form, operand = _form_of(pattern)
    if form == "any":
        return True
    if form == "equals":
        return same(operand, value)
    if not isinstance(value, str):
        return False
    if form == "under":
        return leads_into(operand, value)
    if form == "host":
        host = host_of(value)
        return host is not None and host_matches(operand, host)
    return glob_matches(operand, text(value), _GLOBS[form])


def covers(wide: Pattern, narrow: Pattern) -> bool:
    """Return True if `wide` certainly matches everything that `narrow` matches; False may mean uncertain."""
    form, operand = _form_of(wide)
    other, inner = _form_of(narrow)
    if form == "any" or other == "any":
        return form == "any"
    if other == "equals" or (other in _GLOBS and "*" not in inner):
        return matches(wide, inner)
    if form == "under" and other == "under":
        return within(operand, inner)
    if form == "host" and other == "host":
        return host_matches(operand, inner)
    if form == other or (form, other) == ("glob", "command"):
        return form in _GLOBS and glob_matches(operand, inner, _GLOBS[form])
    return False


def describe(pattern: Pattern) -> str:
    """Describe a pattern completely, in one line."""
    form, operand = _form_of(pattern)
    if form == "any":
        return "is anything"
    if form == "host" and operand.startswith("*."):
        return f"is a URL at any subdomain of {format_value(operand[2:])}"
    words = {
        "equals": "is exactly",
        "glob": "is a text like",
        "command": "is one simple command like",
        "under": "is a path in",
        "host": "is a URL at",
    }
    return f"{words[form]} {format_value(operand)}"


def _form_of(pattern: object) -> tuple[str, Any]:
    ((form, operand),) = checked(pattern).items()
    return form, operand


def _canonical(pattern: object) -> dict[str, Any]:
    if not isinstance(pattern, Mapping) or len(pattern) != 1:
        raise ValueError(f"a pattern is an object with one key, not {_brief(pattern)}")
    ((form, operand),) = pattern.items()
    if form == "any":
        if operand is not True:
            raise ValueError('the only such pattern is {"any": true}')
        return {"any": True}
    if form == "equals":
        try:
            return {"equals": copied(operand)}
        except UnfitError as error:
            raise ValueError(f"the value {error}") from error
    check = _CHECKS.get(form)
    if check is None:
        raise ValueError(f"{_brief(form)} is not a kind of pattern: use equals, glob, command, under, host or any")
    if not isinstance(operand, str) or not operand:
        raise ValueError(f"{form!r} takes a text, not {_brief(operand)}")
    return {form: check(text(operand))}


def _glob(operand: str) -> str:
    if operand.count("*") > MAX_STARS:
        raise ValueError(f"it has more than {MAX_STARS} stars")
    return operand


def _command(operand: str) -> str:
    if operand.startswith("*"):
        raise ValueError("a command cannot begin with a star, which would match every program")
    return _glob(operand)


def _folder(operand: str) -> str:
    folder = normal(operand)
    if folder is None or ".." in operand.split("/"):
        raise ValueError(f"{_brief(operand)} is not an absolute path without '..'")
    return folder


def _host(operand: str) -> str:
    wild = operand.startswith("*.")
    name = host_name(operand.removeprefix("*."))
    if name is None or (wild and (name.startswith("[") or name.rpartition(".")[2].isdecimal())):
        raise ValueError(f"{_brief(operand)} is not a host: write 'example.org', or '*.example.org' for its subdomains")
    return f"*.{name}" if wild else name


def _brief(value: object) -> str:
    if isinstance(value, str):
        return format_value(value if len(value) <= 80 else value[:80] + "...")
    return f"a {type(value).__name__}"


_CHECKS = {"glob": _glob, "command": _command, "under": _folder, "host": _host}
