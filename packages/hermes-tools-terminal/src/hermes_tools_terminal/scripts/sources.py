"""The texts that run in other processes, and the few words that start them."""

from __future__ import annotations

import marshal
import zlib
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType

FORMAT = 2
"""The format of `marshal` that every Python from 3.8 on reads."""

# Everything else comes by the input, which is at its end then: no command line shows it, and no file is left behind.
_START = (
    "import sys,marshal;_=marshal.loads(sys.stdin.buffer.read());_hermes={};"
    "exec(_.pop('start'),_hermes);_hermes['begin'](_)"
)

SUPERVISOR_START = """
import sys,os,marshal
def read(size):
    data = b''
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            sys.exit(1)
        data += more
    return data
given = marshal.loads(read(int.from_bytes(read(4), 'big')))
space = {}
try:
    exec(given.pop('start'), space)
except ImportError as error:
    os.write(1, str(error.name or error).encode())
    sys.exit(96)
space['supervise'](given)
"""
"""What starts a supervisor, which reads the first frame of its input."""

LACKING = 96
"""How it ends when a module is missing, whose name it prints."""


def arguments(*, alone: bool) -> list[str]:
    """The interpreter's arguments for a script.

    Args:
        alone: Whether neither the folder nor the variables count.
    """
    # UTF-8 whatever the locale is; and no files beside the modules of the project.
    return [*(["-I"] if alone else []), "-S", "-B", "-X", "utf8", "-c", _START]


@cache
def text(name: str) -> str:
    """The text of one of the modules that run elsewhere."""
    return (Path(__file__).parent / "inside" / f"{name}.py").read_text(encoding="utf-8")


@cache
def spare() -> bytes:
    """The module `json`, packed: calls of tools need it, and some Pythons lack it, such as Debian's python3-minimal."""
    texts = {}
    for name in ("json", "json.decoder", "json.encoder", "json.scanner"):
        found = find_spec(name)
        if found is not None and isinstance(found.loader, InspectLoader):
            texts[name] = found.loader.get_source(name) or ""
    return zlib.compress(marshal.dumps(texts, FORMAT), 9)


@cache
def bootstrap() -> CodeType:
    """What a script's process runs first, ready for an interpreter of this very version."""
    return compile(text("bootstrap"), "<hermes>", "exec", dont_inherit=True)
