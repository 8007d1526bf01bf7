"""Parses Python code, including indented code, Python 2, and code with holes."""

import ast
import warnings
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.shell.word import HOLE

#: A hole must be a valid name so that it parses as code.
HOLE_NAME = "hole_of_the_shell"
#: Steps for parsing a text, in addition to two for each token.
_PER_PARSE = 20
_PIECE = re.compile(r"\w+|[^\w ]")
_PRINT = re.compile(r"(^|[;:\n])([ \t]*)print[ \t]+(?![=(.\[])([^;\n]*)")
#: Syntax newer than the running Python.
_TYPE = re.compile(r"^([ \t]*)type[ \t]+(\w+)[ \t]*(?:\[[^\]\n]{0,200}\])?[ \t]*=", re.MULTILINE)
_GENERIC = re.compile(r"\b(def|class)([ \t]+\w+)\[[^\]\n]{0,200}\]")
#: Names that code needs in order to do more than compute and print.
_ABLE = re.compile(
    r"import|exec|eval|compile|open|input|__|getattr|globals|locals|vars|system|popen|unlink|remove|rmtree|kill|"
    rf"socket|urlopen|requests|subprocess|pickle|marshal|ctypes|write|delete|drop|environ|{HOLE}",
    re.IGNORECASE,
)


def harmless(code: str) -> bool:
    """Return True when unparsable code names nothing with side effects, so it can only compute."""
    return _ABLE.search(code) is None


class TooLongError(Exception):
    """Raised when the text exceeds the budget."""


def parse(code: str, budget: Budget) -> ast.Module | None:
    """Parse a text as it is, without its indentation, or as Python 2."""
    for attempt in _attempts(code.replace(HOLE, HOLE_NAME)):
        # Counting the tokens takes time as well.
        if not budget.reads(_PER_PARSE + len(attempt) // 32) or not budget.reads(2 * len(_PIECE.findall(attempt))):
            raise TooLongError
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(attempt)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _attempts(text: str) -> Iterator[str]:
    yield text
    bare = text.strip()
    if bare != text:
        yield bare
    modern = _PRINT.sub(r"\1\2print(\3)", bare)
    if modern != bare:
        yield modern
    newer = _GENERIC.sub(r"\1\2", _TYPE.sub(r"\1\2 =", bare))
    if newer != bare:
        yield newer
