"""Separates Python from shell code in IPython and xonsh."""

from collections.abc import Iterator
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.word import HOLE

_MAGIC = re.compile(r"\s*(%{1,2})(\w+)\s*(.*)", re.DOTALL)
_SHELL_LINE = re.compile(r"(?:[\w, ]{1,200}=\s*)?!{1,2}(?!=)(.*)", re.DOTALL)
_SHELL_MAGICS = frozenset({"sx", "system", "sc", "bash", "sh", "script", "rm", "mv", "cp", "rmdir"})
#: Magics whose words are Python code after their options.
_TIMING = frozenset({"timeit", "time", "prun", "memit", "mprun", "lprun", "capture", "debug"})
_OPTIONS = re.compile(r"(?:-\w{1,20}(?:\s?\d{1,12})?\s+)*")


class Mixed(NamedTuple):
    """IPython code, separated by language."""

    python: str
    shell: tuple[str, ...]


def ipython(code: str) -> Mixed:
    """Separate the Python in IPython code from its shell code."""
    python: list[str] = []
    shell: list[str] = []
    lines = code.split("\n")
    for number, line in enumerate(lines):
        magic = _MAGIC.match(line)
        if magic:
            percents, name, rest = magic.groups()
            body = "\n".join((rest, *lines[number + 1 :])) if len(percents) > 1 else rest
            if name in _SHELL_MAGICS:
                shell.append(f"{name} {rest}" if name in {"rm", "mv", "cp", "rmdir"} else body)
            elif name in _TIMING:
                python.append(body[_end(body) :])
            if len(percents) > 1:
                break
        elif called := _SHELL_LINE.match(line.strip()):
            shell.append(called.group(1))
        elif not line.rstrip().endswith("?"):
            python.append(line)
    return Mixed("\n".join(python), tuple(shell))


def _end(text: str) -> int:
    found = _OPTIONS.match(text)
    return found.end() if found else 0


#: A line of xonsh that is not valid Python.
_XONSH_SHELL = re.compile(r"(?:\$\(|!\(|\$\[|!\[|@\()([^\n)\]]{0,400})[)\]]")


def xonsh(code: str) -> Iterator[str]:
    """Yield the shell code in xonsh code: possibly all of it, and what its brackets contain."""
    yield code
    yield from (found.group(1) for found in _XONSH_SHELL.finditer(code.replace(HOLE, "$unknown")))
