"""Reads scripts as Python does before they run: what cannot be read is told at once, and never run."""

from __future__ import annotations

import ast
import traceback
import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from hermes_tools_terminal.shell.output import cut

_COMPILED_SIZE = 20_000
"""Characters up to which a script is compiled here, which its own process would take longer for."""

_MOST_LINE = 500
"""Characters of a line of the code that an error shows."""


@dataclass(frozen=True, slots=True)
class Read:
    """What came of reading a script.

    Attributes:
        error: Why it cannot be read; None when it can.
        compiled: What an interpreter of this very version can run; None when that was not made.
    """

    error: str | None = None
    compiled: CodeType | None = None


@lru_cache(maxsize=8)  # a script is read when it is judged, and again when it runs
def read(code: str) -> Read:
    """Read a script.

    Args:
        code: Its text.
    """
    flags = 0 if len(code) <= _COMPILED_SIZE else ast.PyCF_ONLY_AST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would be told to the user of this process
            made = compile(code, "script.py", "exec", flags, dont_inherit=True, optimize=0)
    except SyntaxError as error:
        lines = [cut(line, _MOST_LINE) for line in traceback.format_exception_only(error)]
        return Read("".join(lines).strip())
    except (ValueError, RecursionError, MemoryError) as error:
        why = str(error) or "it is nested too deeply"
        return Read(f"Python cannot read the code: {why}. Write it in smaller pieces.")
    return Read(compiled=made if isinstance(made, CodeType) else None)
