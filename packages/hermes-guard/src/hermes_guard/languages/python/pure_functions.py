"""Functions without side effects, which are evaluated while reading because they can hide strings."""

import base64
import codecs
import itertools
import posixpath
import zlib
from collections.abc import Callable
from typing import Any

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import quoted
from hermes_guard.languages.python.text_methods import at_home, known_variables
from hermes_guard.languages.text_values import (
    LIMIT,
    MAX_ITEMS,
    UNKNOWN,
    fitting,
    piece,
    whole,
)
from hermes_guard.shell.word import HOLE

_MAX_PRODUCT = 64
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


def _expanduser(home: str, args: list[Any]) -> Any:
    return at_home(home, args[0] if args else UNKNOWN)


def _expandvars(home: str, args: list[Any]) -> Any:
    known = known_variables(home)
    return _VARIABLE.sub(lambda name: known.get(name[1], HOLE), args[0])


def _bytes(value: Any) -> bytes:
    if isinstance(value, str) and HOLE not in value:
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError


def _decode64(_: str, args: list[Any]) -> bytes:
    data = _bytes(args[0])
    return base64.b64decode(data + b"=" * (-len(data) % 4))


def _shlex(_: str, args: list[Any]) -> Any:
    return whole(args[0].split(), MAX_ITEMS) if args and isinstance(args[0], str) else UNKNOWN


def _decompress(_: str, args: list[Any]) -> Any:
    packed = zlib.decompressobj()
    data = packed.decompress(_bytes(args[0]), LIMIT)
    return UNKNOWN if packed.unconsumed_tail else data


def _codec(_: str, args: list[Any]) -> Any:
    value, name = args[0], args[1] if len(args) > 1 else "utf-8"
    if name in {"rot13", "rot_13", "rot-13"} and isinstance(value, str):
        return codecs.encode(value, "rot13")
    if name in {"hex", "base64", "hex_codec"}:
        return bytes.fromhex(_bytes(value).decode()) if "hex" in name else base64.b64decode(_bytes(value))
    return UNKNOWN


def _join(_: str, args: list[Any]) -> str:
    return posixpath.join(*fitting(piece(one) for one in args)) if args else ""


def _first(_: str, args: list[Any]) -> Any:
    value = args[0] if args else "."
    return posixpath.join(*fitting(piece(one) for one in args)) if len(args) > 1 and isinstance(value, str) else value


def _items(value: Any) -> list[Any]:
    if not isinstance(value, (str, list, bytes, tuple, dict)):
        raise TypeError
    return list(value)


def _listed(args: list[Any]) -> Any:
    return whole(_items(args[0]), MAX_ITEMS) if args else []


def _product(args: list[Any]) -> Any:
    found = [list(one) for one in itertools.islice(itertools.product(*map(_items, args)), _MAX_PRODUCT + 1)]
    return found if len(found) <= _MAX_PRODUCT else UNKNOWN


#: Functions by dotted name. Each receives the home directory and the arguments.
FUNCTIONS: dict[str, Callable[[str, list[Any]], Any]] = {
    "chr": lambda _, args: chr(args[0]) if isinstance(args[0], int) else UNKNOWN,
    "str": lambda _, args: piece(args[0]) if args and isinstance(args[0], (str, bytes, int)) else UNKNOWN,
    "bytes": lambda _, args: bytes(args[0]) if isinstance(args[0], (list, bytes)) else UNKNOWN,
    "bytearray": lambda _, args: bytes(args[0]) if isinstance(args[0], (list, bytes)) else UNKNOWN,
    "int": lambda _, args: int(*args) if isinstance(args[0], (str, int)) and len(str(args[0])) < 12 else UNKNOWN,
    "reversed": lambda _, args: args[0][::-1],
    "list": lambda _, args: _listed(args),
    **dict.fromkeys(("tuple", "sorted", "set", "frozenset"), lambda _, args: _listed(args)),
    "enumerate": lambda _, args: [[number, one] for number, one in enumerate(_listed(args))],
    "zip": lambda _, args: [list(one) for one in zip(*map(_items, args), strict=False)],
    "itertools.product": lambda _, args: _product(args),
    "itertools.chain": lambda _, args: [one for items in args for one in _items(items)],
    "dict": lambda _, args: args[0] if isinstance(args[0], dict) else UNKNOWN,
    "base64.b64decode": _decode64,
    "base64.standard_b64decode": _decode64,
    "base64.decodebytes": _decode64,
    "base64.urlsafe_b64decode": _decode64,
    "binascii.a2b_base64": _decode64,
    "base64.b32decode": lambda _, args: base64.b32decode(_bytes(args[0])),
    "base64.b16decode": lambda _, args: base64.b16decode(_bytes(args[0])),
    "base64.b85decode": lambda _, args: base64.b85decode(_bytes(args[0])),
    "bytes.fromhex": lambda _, args: bytes.fromhex(args[0]),
    "bytearray.fromhex": lambda _, args: bytes.fromhex(args[0]),
    "binascii.unhexlify": lambda _, args: bytes.fromhex(_bytes(args[0]).decode()),
    "binascii.a2b_hex": lambda _, args: bytes.fromhex(_bytes(args[0]).decode()),
    "codecs.decode": _codec,
    "codecs.encode": _codec,
    "zlib.decompress": _decompress,
    "os.path.expanduser": _expanduser,
    "os.path.expandvars": _expandvars,
    "os.path.join": _join,
    "os.path.abspath": _first,
    "os.path.realpath": _first,
    "os.fspath": _first,
    "pathlib.Path": _first,
    "Path": _first,
    "pathlib.PosixPath": _first,
    "pathlib.PurePath": _first,
    "pathlib.Path.home": lambda home, _: home,
    "Path.home": lambda home, _: home,
    "shlex.split": _shlex,
    "shlex.join": lambda _, args: " ".join(fitting(quoted(piece(one)) for one in args[0])),
    "shlex.quote": lambda _, args: quoted(piece(args[0])),
}
