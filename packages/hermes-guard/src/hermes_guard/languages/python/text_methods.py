"""Methods of strings and paths without side effects, which are evaluated while reading."""

import posixpath
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from hermes_guard.languages.text_values import (
    LIMIT,
    MAX_ITEMS,
    UNKNOWN,
    fitting,
    one_of,
    piece,
    whole,
)
from hermes_guard.name_sets import names

_LONGEST_PIECE = 1024
#: Other encodings are never used to hide code, and some are slow.
_ENCODINGS = names(
    """
    utf-8 utf8 utf_8 ascii us-ascii latin-1 latin1 iso-8859-1 utf-16 utf-16-le utf-16le utf-16-be utf-32
    unicode_escape unicode-escape raw_unicode_escape cp1252
    """
)


def known_variables(home: str) -> dict[str, str]:
    """Return environment variables with a known value; rules recognize the agent's home in this form."""
    return {"HOME": home, "HERMES_HOME": f"{home}/.hermes"}


def at_home(home: str, path: Any) -> Any:
    """Return a path with its tilde replaced by the user's home directory."""
    if isinstance(path, str) and (path == "~" or path.startswith("~/")):
        return home + path[1:]
    return path


def _expanduser(home: str, base: Any, _: list[Any]) -> Any:
    return at_home(home, base) if isinstance(base, str) else UNKNOWN


def _same(_: str, base: Any, __: list[Any]) -> Any:
    return base if isinstance(base, str) else UNKNOWN


def _join(_: str, base: Any, args: list[Any]) -> Any:
    if isinstance(base, str) and args and isinstance(args[0], (list, tuple, str)):
        return base.join(fitting((piece(one) for one in args[0]), base))
    return UNKNOWN


def _joinpath(_: str, base: Any, args: list[Any]) -> Any:
    return posixpath.join(base, *fitting(piece(one) for one in args)) if isinstance(base, str) else UNKNOWN


def _decode(_: str, base: Any, args: list[Any]) -> Any:
    encoding = args[0] if args and isinstance(args[0], str) else "utf-8"
    known = isinstance(base, bytes) and encoding.lower() in _ENCODINGS
    return base.decode(encoding, "replace") if known else UNKNOWN


def _encode(_: str, base: Any, __: list[Any]) -> Any:
    return base.encode() if isinstance(base, str) else UNKNOWN


def _format(_: str, base: Any, args: list[Any]) -> Any:
    if not isinstance(base, str) or re.search(r"\{(?!\d{0,3}\})", base):
        return UNKNOWN
    pieces = [piece(one) for one in args]
    longest = max(map(len, pieces), default=0)
    return base.format(*pieces) if len(base) + base.count("{") * longest <= LIMIT else UNKNOWN


def _changed(_: str, base: Any, args: list[Any], *, method: str) -> Any:
    if not isinstance(base, str) or not all(isinstance(one, str) for one in args):
        return UNKNOWN
    if any(len(one) > _LONGEST_PIECE for one in args) or len(base) * max(map(len, args), default=1) > 1 << 20:
        return UNKNOWN
    return whole(getattr(base, method)(*args))


def _split(_: str, base: Any, args: list[Any]) -> Any:
    if not isinstance(base, str) or not all(isinstance(one, str) for one in args):
        return UNKNOWN
    return whole(base.split(*args), MAX_ITEMS)


def _items(_: str, base: Any, __: list[Any]) -> Any:
    return [[key, value] for key, value in base.items()] if isinstance(base, dict) else UNKNOWN


def _values(_: str, base: Any, __: list[Any]) -> Any:
    return list(base.values()) if isinstance(base, dict) else UNKNOWN


def _keys(_: str, base: Any, __: list[Any]) -> Any:
    return list(base) if isinstance(base, dict) else UNKNOWN


def _get(_: str, base: Any, args: list[Any]) -> Any:
    if not isinstance(base, dict) or not args:
        return UNKNOWN
    default = args[1] if len(args) > 1 else UNKNOWN
    if isinstance(args[0], (str, int)):
        return base.get(args[0], default)
    return one_of([*base.values(), *args[1:]])


#: Methods by name. Each receives the home directory, its object and its arguments.
METHODS: dict[str, Callable[[str, Any, list[Any]], Any]] = {
    "expanduser": _expanduser,
    "resolve": _same,
    "absolute": _same,
    "as_posix": _same,
    "join": _join,
    "joinpath": _joinpath,
    "decode": _decode,
    "encode": _encode,
    "format": _format,
    "split": _split,
    "items": _items,
    "values": _values,
    "keys": _keys,
    "get": _get,
    "copy": lambda _, base, __: base if isinstance(base, (list, dict)) else UNKNOWN,
    **{
        method: partial(_changed, method=method)
        for method in ("replace", "strip", "lower", "upper", "rstrip", "lstrip", "swapcase")
    },
}
