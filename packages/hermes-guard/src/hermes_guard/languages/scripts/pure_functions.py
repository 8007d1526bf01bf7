"""Functions and methods without side effects, which are evaluated while reading because they can hide strings."""

import base64
import posixpath
from collections.abc import Callable
from typing import Any

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import quoted
from hermes_guard.languages.text_values import UNKNOWN, fitting, piece
from hermes_guard.name_sets import names

Function = Callable[[str, list[Any]], Any]
_FORMAT = re.compile(r"%[-0-9]*[sdi%]")


def _same(_: str, args: list[Any]) -> Any:
    return args[0]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(values: list[Any]) -> list[str]:
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return fitting(map(piece, flat))


def _join(_: str, args: list[Any]) -> str:
    first, second = (args[1], args[0]) if isinstance(args[0], list) else (args[0], args[1:])
    return _text(first).join(_texts(second if isinstance(second, list) else [second]))


def _joined(_: str, args: list[Any]) -> str:
    return (args[1] if len(args) > 1 else ",").join(_texts(args[0])) if isinstance(args[0], list) else _text(UNKNOWN)


def _reversed(_: str, args: list[Any]) -> Any:
    return args[0][::-1] if len(args) == 1 else args[::-1]


def _base64(_: str, args: list[Any]) -> str:
    data = re.sub(r"\s", "", _text(args[0]))
    return base64.b64decode(data + "=" * (-len(data) % 4), altchars=None).decode("utf-8", "replace")


def _hex(_: str, args: list[Any]) -> str:
    return bytes.fromhex(_text(args[0])).decode("utf-8", "replace")


def _buffer(home: str, args: list[Any]) -> Any:
    if isinstance(args[0], list):
        return _chars(home, args)
    coding = args[1] if len(args) > 1 else "utf8"
    decode: Function = _base64 if coding in {"base64", "base64url"} else _hex if coding == "hex" else _same
    return decode(home, args)


def _pack(home: str, args: list[Any]) -> Any:
    """`pack("H*", text)` of Perl and PHP, and `[text].pack("H*")` of Ruby."""
    form, values = (args[1], args[0]) if isinstance(args[0], list) else (args[0], args[1:])
    if form in {"H*", "h*"}:
        return _hex(home, values)
    if form in {"C*", "U*", "c*", "W*"}:
        return _chars(home, values)
    return values[0] if form in {"A*", "a*"} else UNKNOWN


def _unpack(home: str, args: list[Any]) -> Any:
    form = args[1]
    if form in {"m", "m0"}:
        return _base64(home, args)
    return args[0].encode().hex() if form == "H*" else UNKNOWN


def _chars(_: str, args: list[Any]) -> str:
    numbers = args[0] if len(args) == 1 and isinstance(args[0], list) else args
    return "".join(chr(int(_text(one), 0)) for one in numbers)


def _format(_: str, args: list[Any]) -> str:
    values = iter(args[1:] if not (len(args) == 2 and isinstance(args[1], list)) else args[1])
    form = _text(args[0])
    if "%" in _FORMAT.sub("", form):
        raise ValueError
    made = _FORMAT.sub(lambda found: "%" if found.group().endswith("%") else piece(next(values, UNKNOWN)), form)
    return "".join(fitting([made]))


def _path(_: str, args: list[Any]) -> str:
    return posixpath.join(*fitting(piece(one) for one in args))


def _beneath(home: str, args: list[Any]) -> str:
    path = _text(args[0])
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _split(_: str, args: list[Any]) -> list[str]:
    text, mark = _text(args[0]), args[1] if len(args) > 1 else " "
    return list(text) if mark == "" else text.split() if mark == " " else text.split(_text(mark))


def _explode(home: str, args: list[Any]) -> list[str]:
    return _split(home, [args[1], args[0]])


def _replaced(_: str, args: list[Any]) -> str:
    text, old, new = map(_text, args[:3])
    return "".join(fitting([text.replace(old, new)])) if old and len(new) <= 1024 else _text(UNKNOWN)


def _concat(_: str, args: list[Any]) -> Any:
    if isinstance(args[0], list):
        return [*args[0], *(one for more in args[1:] for one in (more if isinstance(more, list) else [more]))]
    return "".join(fitting(map(piece, args)))


def _from(_: str, args: list[Any]) -> Any:
    start = int(args[1]) if len(args) > 1 else 0
    return args[0][start : int(args[2])] if len(args) > 2 else args[0][start:]


def _pairs(_: str, args: list[Any]) -> Any:
    return [[key, value] for key, value in args[0].items()] if isinstance(args[0], dict) else args[0]


def _values(_: str, args: list[Any]) -> Any:
    return list(args[0].values()) if isinstance(args[0], dict) else args[0]


def _quoted(_: str, args: list[Any]) -> str:
    return quoted(piece(args[0]))


def _flat(_: str, args: list[Any]) -> list[Any]:
    return [one for value in args[0] for one in (value if isinstance(value, list) else [value])]


def _lower(_: str, args: list[Any]) -> str:
    return _text(args[0]).lower()


def _upper(_: str, args: list[Any]) -> str:
    return _text(args[0]).upper()


def _stripped(_: str, args: list[Any]) -> str:
    return _text(args[0]).strip()


def _repeated(_: str, args: list[Any]) -> str:
    count = int(args[1])
    return _text(args[0]) * count if len(args[0]) * count <= 4096 else _text(UNKNOWN)


def _swapped(_: str, args: list[Any]) -> str:
    import codecs

    return codecs.encode(_text(args[0]), "rot13")


#: Functions by name. Each receives the home directory and the arguments.
FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(("join", "implode"), _join),
    **dict.fromkeys(("reverse", "strrev", "array_reverse"), _reversed),
    **dict.fromkeys(("scalar", "String", "strval", "array_values", "ref", "Array", "tostring"), _same),
    **dict.fromkeys(("base64_decode", "decode_base64", "MIME::Base64::decode_base64", "atob"), _base64),
    **dict.fromkeys(("hex2bin",), _hex),
    "Buffer.from": _buffer,
    "Base64.decode64": _base64,
    "Base64.strict_decode64": _base64,
    "pack": _pack,
    "unpack": lambda home, args: _unpack(home, [args[1], args[0]]),
    **dict.fromkeys(("chr", "String.fromCharCode", "String.fromCodePoint", "string.char", "sprintf_chars"), _chars),
    **dict.fromkeys(("sprintf", "format", "util.format", "string.format"), _format),
    **dict.fromkeys(("path.join", "path.resolve", "File.join", "path.posix.join"), _path),
    "File.expand_path": _beneath,
    **dict.fromkeys(("str_replace",), lambda home, args: _replaced(home, [args[2], args[0], args[1]])),
    **dict.fromkeys(("Object.entries", "Array.from", "Map"), _pairs),
    **dict.fromkeys(("Object.values", "values", "array_values"), _values),
    **dict.fromkeys(("Object.keys", "keys", "array_keys"), lambda _, args: list(args[0])),
    **dict.fromkeys(("escapeshellarg", "Shellwords.escape", "shellescape", "shell_quote"), _quoted),
    **dict.fromkeys(("array", "list"), lambda _, args: list(args)),
    **dict.fromkeys(("lc", "strtolower"), _lower),
    **dict.fromkeys(("uc", "strtoupper"), _upper),
    **dict.fromkeys(("trim", "chomp"), _stripped),
    "explode": _explode,
    "array_merge": _concat,
    "str_repeat": _repeated,
    "str_rot13": _swapped,
    "array_slice": _from,
}
#: Methods by name. The first argument is the object.
METHODS: dict[str, Function] = {
    "join": _joined,
    **dict.fromkeys(("reverse", "toReversed"), _reversed),
    **dict.fromkeys(
        names("toString to_s to_str dup freeze clone valueOf flatten compact to_a normalize to_sym"), _same
    ),
    **dict.fromkeys(("unpack", "unpack1"), _unpack),
    "pack": _pack,
    "split": _split,
    "shellsplit": lambda _, args: _text(args[0]).split(),
    "concat": _concat,
    **dict.fromkeys(("push", "append"), _concat),
    **dict.fromkeys(("replace", "replaceAll", "gsub", "sub"), _replaced),
    **dict.fromkeys(("slice", "drop", "substring", "substr"), _from),
    **dict.fromkeys(("entries", "to_pairs", "each_pair"), _pairs),
    "values": _values,
    "keys": lambda _, args: list(args[0]),
    **dict.fromkeys(("toLowerCase", "downcase"), _lower),
    **dict.fromkeys(("toUpperCase", "upcase"), _upper),
    **dict.fromkeys(("trim", "strip", "chomp"), _stripped),
    **dict.fromkeys(("repeat",), _repeated),
    "chr": _chars,
    "shellescape": _quoted,
    "flat": _flat,
    "first": lambda _, args: args[0][0],
    "last": lambda _, args: args[0][-1],
    "at": lambda _, args: args[0][int(args[1])],
    "fetch": lambda _, args: args[0][args[1]],
}
