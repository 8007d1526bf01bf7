"""Checks TOML."""

from __future__ import annotations

import re
import tomllib

from hermes_tools_terminal.checking.problem import Problem, UncheckedError

_LONGEST = 1_000_000
"""More characters than that take seconds to read."""

_MOST_DOTS = 1000
"""Parts of one key; they cost their square."""

_WHERE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def toml_problems(text: str) -> list[Problem]:
    """What is wrong with a TOML text.

    Raises:
        UncheckedError: it is too long or too deeply nested.
    """
    if len(text) > _LONGEST:
        raise UncheckedError("It is too long to be checked.")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise UncheckedError("It is too deeply nested to be checked.")
    try:
        tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        return [_problem(str(error), text)]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to be checked.") from None
    except ValueError:  # a number with thousands of digits, or a day that no month has
        raise UncheckedError("A number or a date in it is out of the range that can be checked.") from None
    return []


def _problem(said: str, text: str) -> Problem:
    found = _WHERE.fullmatch(said)
    if found is None:
        return Problem(1, 0, said)
    if found[2] is None:
        return Problem(text.rstrip("\n").count("\n") + 1, 0, f"{found[1]} at the end of the file")
    return Problem(int(found[2]), int(found[3]), found[1])
