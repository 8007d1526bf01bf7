"""Checks Python by reading it, never by running it."""

from __future__ import annotations

import ast
import re
import warnings

from hermes_tools_terminal.checking.problem import Problem, UncheckedError

_LONGEST = 1_000_000
"""More characters than that take seconds to read."""

_NAME = "<hermes: text that is checked>"


def python_problems(text: str) -> list[Problem]:
    """What is wrong with a module.

    Raises:
        UncheckedError: it is too long or too deeply nested.
    """
    if len(text) > _LONGEST:
        raise UncheckedError("It is too long to be checked.")
    _keep_quiet()
    try:
        ast.parse(text, _NAME)
    except SyntaxError as error:
        return [Problem(error.lineno or 1, error.offset or 0, error.msg)]
    except (RecursionError, MemoryError):
        raise UncheckedError("It is too deeply nested to be checked.") from None
    except ValueError as error:  # a character that cannot be encoded, or zero bytes
        start = getattr(error, "start", 0)
        return [Problem(text.count("\n", 0, start) + 1, 0, str(error))]
    return []


def _keep_quiet() -> None:
    """Have warnings about the text ignored: where they are errors, they would look like mistakes in the text.

    A filter for the text's name stays for good. One that is taken back would be lost or stay by chance when threads
    do the same at once.
    """
    ours = ("ignore", None, Warning, re.compile(re.escape(_NAME)), 0)
    if ours not in warnings.filters:
        warnings.filterwarnings("ignore", module=re.escape(_NAME))
