"""Reads a script of sed as GNU sed does, in one pass, and finds what it runs."""

import re
from collections.abc import Iterator

_BLANK = re.compile(r"[\s;{}!]*")
_SPACE = re.compile(r"[^\S\n]*")
_LINE = re.compile(r"[^\n]*")
_WORD = re.compile(r"[^\n;}]*")
#: Text that ends with a backslash goes on in the next line.
_LINES = re.compile(r"(?:[^\\\n]|\\.)*", re.DOTALL)
_NUMBER = re.compile(r"[+~]?(?:\d+(?:~\d+)?|\$)")
_ADDRESS = frozenset("/\\+~$0123456789")
_ADDRESS_FLAGS = re.compile(r"[IM]*")
_FLAGS = re.compile(r"[gpiImMe0-9]*")


def runs(script: str) -> Iterator[str]:
    """The commands that a script runs; an empty one stands for whatever the input holds."""
    index = 0
    while True:
        index = _address(script, index)
        if index >= len(script):
            return
        name = script[index]
        index += 1
        if name == "e":
            end = _end(_LINE, script, index)
            yield script[index:end].strip()
            index = end
        elif name == "s" and index < len(script):
            index = _until(script, _until(script, index + 1, script[index]), script[index])
            flags = _FLAGS.match(script, index)
            assert flags
            index = flags.end()
            if "e" in flags.group():
                yield ""
        elif name == "y" and index < len(script):
            index = _until(script, _until(script, index + 1, script[index]), script[index])
        elif name in _ENDS:
            index = _end(_ENDS[name], script, index)


#: How far the arguments of a command go. Those of `w` as a flag look like a command, and are read like one.
_ENDS = {
    **dict.fromkeys("aic", _LINES),
    **dict.fromkeys("rRwW#", _LINE),
    **dict.fromkeys(":btTqQlLv", _WORD),
}


def _end(pattern: re.Pattern[str], script: str, index: int) -> int:
    found = pattern.match(script, index)
    return found.end() if found else index


def _address(script: str, index: int) -> int:
    """Where the name of the next command stands, behind its address."""
    index = _end(_BLANK, script, index)
    if script[index : index + 1] not in _ADDRESS:
        return index
    while index < len(script):
        if script[index] == "/":
            index = _end(_ADDRESS_FLAGS, script, _until(script, index + 1, "/"))
        elif script[index] == "\\" and index + 1 < len(script):
            index = _end(_ADDRESS_FLAGS, script, _until(script, index + 2, script[index + 1]))
        elif found := _NUMBER.match(script, index):
            index = found.end()
        else:
            break
        index = _end(_SPACE, script, index)
        if not script.startswith(",", index):
            break
        index = _end(_SPACE, script, index + 1)
    return _end(_BLANK, script, index)


def _until(script: str, index: int, mark: str) -> int:
    """The place behind the next mark without a backslash, or the end."""
    while index < len(script):
        if script[index] == mark:
            return index + 1
        index += 2 if script[index] == "\\" else 1
    return len(script)
