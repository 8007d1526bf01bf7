"""A call of a function whose dotted name is known."""

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hermes_guard.rules.languages.python.reader import Reader


class Called(NamedTuple):
    """The name of a function, and what it is given."""

    name: str
    args: Sequence[ast.expr]
    keywords: dict[str, ast.expr]

    @property
    def first(self) -> ast.expr | None:
        """The argument that matters in most functions."""
        if self.args:
            return self.args[0]
        return next((self.keywords[key] for key in ("args", "cmd", "command", "path") if key in self.keywords), None)


Action = Callable[["Reader", Called], None]
"""What a reader learns from a call."""
