"""What each tool's definition costs, counted once for as long as it stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hermes_core.search.bridge_tools import bridge_definitions
from hermes_core.search.estimate import compact, tokens_of_chars
from hermes_core.tools.reserved import RESERVED_NAMES

Definition = dict[str, Any]


def name_of(definition: object) -> str:
    """The tool's name in a definition of any format; empty when there is none."""
    if not isinstance(definition, dict):
        return ""
    inner = definition.get("function")
    name = (inner if isinstance(inner, dict) else definition).get("name")
    return name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A list of definitions, divided into what must be shown and what may be hidden.

    Attributes:
        visible: The names of those that must be shown.
        hideable: The names of those that may be hidden.
        all_tokens: What all of them cost.
        hideable_tokens: What those cost that may be hidden.
        short_tokens: What the others cost together with the bridge tools.
        bridged: Whether the bridge tools were in the list.
    """

    visible: tuple[str, ...]
    hideable: tuple[str, ...]
    all_tokens: int
    hideable_tokens: int
    short_tokens: int
    bridged: bool


class Scales:
    """Weighs definitions, and remembers what each one weighed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Definition, int]] = {}
        self._bridge_chars = sum(len(compact(definition)) for definition in bridge_definitions())

    def chars(self, definition: Definition) -> int:
        """The length of a definition as compact JSON."""
        name = name_of(definition)
        known = self._known.get(name)
        if known is not None and known[0] == definition:  # quick: what did not change is the very same object inside
            return known[1]
        length = len(compact(definition))
        self._known[name] = (definition, length)
        return length

    def weigh(self, definitions: Iterable[Definition], may_hide: Callable[[str], bool]) -> Weighed:
        """Divide a list, and say what its parts cost."""
        visible: list[str] = []
        hideable: list[str] = []
        chars = [0, 0]
        bridged = False
        for definition in definitions:
            name = name_of(definition)
            if name in RESERVED_NAMES:
                bridged = True
                continue
            hide = bool(name) and may_hide(name)
            (hideable if hide else visible).append(name)
            chars[hide] += self.chars(definition)
        self._forget(len(visible) + len(hideable))
        return Weighed(
            visible=tuple(visible),
            hideable=tuple(hideable),
            all_tokens=tokens_of_chars(sum(chars)),
            hideable_tokens=tokens_of_chars(chars[True]),
            short_tokens=tokens_of_chars(chars[False] + self._bridge_chars),
            bridged=bridged,
        )

    def _forget(self, alive: int) -> None:
        """Tools come and go; what is kept of those that went must not grow for ever."""
        if len(self._known) > 2 * alive + 10_000:
            self._known.clear()
