"""Evaluates the constant parts of Python expressions without running them, and tracks where values come from."""

import base64
import binascii
import codecs
import operator
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from hermes_tools_skills.scanner.destinations import HOLE
from hermes_tools_skills.scanner.encodings import MAX_DECODED, unpack

#: Longer constants are not computed.
MAX_CONSTANT = MAX_DECODED


class Unknown:
    """The value of an expression that is known only at run time."""


UNKNOWN = Unknown()


class Value(NamedTuple):
    """What is known about an expression."""

    const: Any = UNKNOWN
    #: Where it comes from: `env:NAME`, `file:PATH`, `fetched`, `decoded`, `computed`.
    labels: frozenset[str] = frozenset()
    #: The dotted name of the module, class or function that it is; of the class, for its instances.
    ref: str = ""

    @property
    def known(self) -> bool:
        """True when the value is a constant without holes."""
        return self.const is not UNKNOWN and not (isinstance(self.const, str) and HOLE in self.const)

    @property
    def text(self) -> str:
        """The value as text, with a hole for what is unknown."""
        if isinstance(self.const, str):
            return self.const
        if isinstance(self.const, bytes):
            return self.const.decode("utf-8", "replace")
        if isinstance(self.const, int | float) and not isinstance(self.const, bool):
            return str(self.const)
        if isinstance(self.const, list | tuple):
            return " ".join(item if isinstance(item, str) else HOLE for item in self.const)
        if isinstance(self.const, dict):
            return " ".join(f"{key} {item}" for key, item in self.const.items())
        return HOLE

    def and_from(self, *others: "Value") -> "Value":
        """Return the value with the origins of others added."""
        labels = self.labels.union(*(other.labels for other in others))
        return self if labels == self.labels else self._replace(labels=labels)


def join(first: Value, second: Value) -> Value:
    """Return what is known about a variable after two assignments."""
    if first == second:
        return first
    same = (
        first.const is not UNKNOWN
        and second.const is not UNKNOWN
        and type(first.const) is type(second.const)
        and first.const == second.const
    )
    const = first.const if same else UNKNOWN
    # Two texts are kept as alternatives, so that paths and addresses in both are found.
    if (
        not same
        and isinstance(first.const, str)
        and isinstance(second.const, str)
        and len(first.const) + len(second.const) < 4_000
    ):
        const = first.const if second.const in first.const else f"{first.const}\n{second.const}"
    elif not same:
        const = (
            first.const
            if second.const is UNKNOWN and isinstance(first.const, str) and "://" in first.const
            else second.const
            if first.const is UNKNOWN and isinstance(second.const, str) and "://" in second.const
            else UNKNOWN
        )
    return Value(const, first.labels | second.labels, first.ref or second.ref)


def _binary(data: Any) -> bytes:
    return data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)


def _decompress(data: Any, *_: Any) -> bytes:
    found = unpack(_binary(data))
    return found or zlib.decompressobj(-15).decompress(_binary(data), MAX_DECODED)


def _padded(decode: Callable[[bytes], bytes]) -> Callable[..., bytes]:
    def decoded(data: Any, *_: Any) -> bytes:
        raw = _binary(data)
        return decode(raw + b"=" * (-len(raw) % 4))

    return decoded


#: Functions that decode: what they return is `decoded`.
DECODERS: dict[str, Callable[..., Any]] = {
    "base64.b64decode": _padded(base64.b64decode),
    "base64.standard_b64decode": _padded(base64.b64decode),
    "base64.decodebytes": _padded(base64.b64decode),
    "base64.decodestring": _padded(base64.b64decode),
    "base64.urlsafe_b64decode": _padded(base64.urlsafe_b64decode),
    "base64.b32decode": lambda data, *_: base64.b32decode(_binary(data)),
    "base64.b16decode": lambda data, *_: base64.b16decode(_binary(data), casefold=True),
    "base64.b85decode": lambda data, *_: base64.b85decode(_binary(data)),
    "base64.a85decode": lambda data, *_: base64.a85decode(_binary(data)),
    "binascii.a2b_base64": _padded(binascii.a2b_base64),
    "binascii.a2b_hex": lambda data, *_: binascii.unhexlify(_binary(data)),
    "binascii.unhexlify": lambda data, *_: binascii.unhexlify(_binary(data)),
    "bytes.fromhex": lambda data, *_: bytes.fromhex(data),
    "bytearray.fromhex": lambda data, *_: bytes.fromhex(data),
    "zlib.decompress": _decompress,
    "gzip.decompress": _decompress,
    "bz2.decompress": _decompress,
    "lzma.decompress": _decompress,
    "codecs.decode": lambda data, encoding="utf-8", *_: _codec(data, encoding),
    "codecs.encode": lambda data, encoding="utf-8", *_: _codec(data, encoding),
    "urllib.parse.unquote": lambda data, *_: __import__("urllib.parse", fromlist=["unquote"]).unquote(data),
}


def _codec(data: Any, encoding: str) -> Any:
    name = encoding.replace("_", "").replace("-", "").lower()
    if name in {"rot13", "rot"}:
        return codecs.encode(data, "rot13")
    if name in {"hex", "hexcodec"}:
        return binascii.unhexlify(_binary(data))
    if name in {"base64", "base64codec"}:
        return base64.b64decode(_binary(data))
    if name in {"zlib", "zip", "bz2", "zlibcodec", "bz2codec"}:
        return _decompress(data)
    return data.decode(encoding) if isinstance(data, bytes) else data


#: Functions without effects that are computed when their arguments are constants.
PURE: dict[str, Callable[..., Any]] = {
    "chr": chr,
    "ord": ord,
    "str": lambda value="", *_: value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value),
    "bytes": lambda value=b"", *_: (
        value.encode() if isinstance(value, str) else bytes(value) if not isinstance(value, int) else UNKNOWN
    ),
    "bytearray": lambda value=b"", *_: (
        value.encode() if isinstance(value, str) else bytes(value) if not isinstance(value, int) else UNKNOWN
    ),
    "int": int,
    "list": list,
    "tuple": list,
    "reversed": lambda value: list(value)[::-1],
    "sorted": sorted,
    "len": len,
    "hex": hex,
    "os.path.expanduser": lambda path: path,
    "os.path.abspath": lambda path: path,
    "os.path.expandvars": lambda path: path.replace("$HOME", "~").replace("${HOME}", "~"),
    "os.path.join": lambda *parts: "/".join(str(part) for part in parts),
    "pathlib.Path.home": lambda: "~",
    "pathlib.Path": lambda *parts: "/".join(str(part) for part in parts),
    "pathlib.PosixPath": lambda *parts: "/".join(str(part) for part in parts),
    "pathlib.PurePath": lambda *parts: "/".join(str(part) for part in parts),
    "sys.intern": lambda value: value,
    "operator.add": operator.add,
}
#: Methods of constants.
METHODS: dict[str, Callable[..., Any]] = {
    "decode": lambda value, encoding="utf-8", *_: _codec(value, encoding),
    "encode": lambda value, encoding="utf-8", *_: _codec(value, encoding) if "rot" in str(encoding) else value.encode(),
    "join": lambda value, items: value.join(items),
    "replace": lambda value, *args: value.replace(*args),
    "strip": lambda value, *args: value.strip(*args),
    "lstrip": lambda value, *args: value.lstrip(*args),
    "rstrip": lambda value, *args: value.rstrip(*args),
    "lower": lambda value: value.lower(),
    "upper": lambda value: value.upper(),
    "split": lambda value, *args: value.split(*args),
    "splitlines": lambda value: value.splitlines(),
    "swapcase": lambda value: value.swapcase(),
    "translate": lambda value, table: value.translate(table),
    "expanduser": lambda value: value,
    "resolve": lambda value, *_: value,
    "absolute": lambda value: value,
    "joinpath": lambda value, *parts: "/".join([value, *parts]),
    "with_suffix": lambda value, suffix: value + suffix,
    "as_posix": lambda value: value,
    "hex": lambda value: value.hex(),
    "tobytes": lambda value: value,
    "copy": lambda value: value,
    "items": lambda value: [list(item) for item in value.items()],
    "values": lambda value: list(value.values()),
    "keys": list,
    "get": lambda value, key, *default: value.get(key, *default) if isinstance(value, dict) else UNKNOWN,
}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "Mod": operator.mod,
    "FloorDiv": operator.floordiv,
    "LShift": lambda left, right: left << min(right, 64),
    "RShift": operator.rshift,
}


def compute(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a pure function with constants; unknown when that fails or the result is too large."""
    if any(argument is UNKNOWN for argument in arguments):
        return UNKNOWN
    try:
        result = function(*arguments)
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        zlib.error,
        EOFError,
        OSError,
        MemoryError,
    ):
        return UNKNOWN
    if isinstance(result, bytearray | memoryview):
        result = bytes(result)
    if isinstance(result, str | bytes | list) and len(result) > MAX_CONSTANT:
        return UNKNOWN
    return result


def binary(name: str, left: Value, right: Value) -> Any:
    """Compute a binary operation on constants; texts keep their known parts."""
    first, second = left.const, right.const
    if name == "Add" and isinstance(first, str) != isinstance(second, str) and (first is UNKNOWN or second is UNKNOWN):
        return (first if isinstance(first, str) else HOLE) + (second if isinstance(second, str) else HOLE)
    if name == "Mod" and isinstance(first, str):
        return _percent(first, right)
    if name == "Div" and isinstance(first, str):
        return f"{first}/{second if isinstance(second, str) else HOLE}"
    if (
        name == "Mult"
        and isinstance(second, int)
        and isinstance(first, str | bytes | list)
        and len(first) * second > 10_000
    ):
        return UNKNOWN
    if name == "Mult" and isinstance(first, int) and isinstance(second, str | bytes | list):
        return UNKNOWN
    if isinstance(first, str | bytes) and isinstance(second, str | bytes) and len(first) + len(second) > MAX_CONSTANT:
        return UNKNOWN
    function = _OPERATORS.get(name)
    return compute(function, first, second) if function else UNKNOWN


def _percent(template: str, right: Value) -> Any:
    values = right.const if isinstance(right.const, list | tuple) else [right.const]
    parts = [HOLE if value is UNKNOWN else value for value in values]
    return (
        compute(lambda: template % tuple(parts))
        if HOLE not in parts
        else compute(lambda: template.replace("%d", "%s") % tuple(parts))
    )
