"""The dialog about one request at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from hermes_approval.channels.answer import Answer, as_choice, signed
from hermes_approval.channels.prompt_text import (
    Line,
    argument_lines,
    explanation_lines,
    folded,
    has_secrets,
    key_line,
    narrowing_lines,
    request_lines,
)
from hermes_approval.channels.safe_text import one_line
from hermes_approval.channels.terminal_device import Device, Withdrawn
from hermes_core import ApprovalRequest

if TYPE_CHECKING:
    from rich.console import Console

Propose = Callable[[ApprovalRequest, str], object]
Narrowings = Callable[[object], Sequence[tuple[str, object]]]

_PROMPT = "Your answer: "
_PATIENCE = 3
"""How many invalid answers in a row deny the call."""
_NARROWEST, _LOWEST = 20, 8
"""The minimum size of a terminal; a smaller one does not know its size."""
_KEYS_HEIGHT = 4

SCOPES = ("session", "always")
"""The answers that last longer than one call."""

PLACE = "terminal"
"""Where an answer was given."""

_KEYS = {
    "once": ("o", "y", "yes"),
    "session": ("s",),
    "always": ("a",),
    "narrow": ("l", "limit"),
    "explain": ("e",),
    "values": ("v",),
    "deny": ("d", "n", "no"),
    "more": ("m",),
    "full": ("f",),
}
_WORDS = {word: meant for meant, keys in _KEYS.items() for word in (meant, *keys)}


@dataclass(frozen=True, slots=True)
class Offers:
    """The grants on offer: one for each scope, and narrower ones with scope and label."""

    grants: Mapping[str, object]
    narrower: tuple[tuple[str, str, object], ...] = ()


class Dialog:
    """Shows one request page by page, and handles what is typed."""

    def __init__(
        self, device: Device, request: ApprovalRequest, offers: Offers, *, seconds: float, cancelled: Callable[[], bool]
    ) -> None:
        self._device = device
        self._request = request
        self._offers = offers
        self._seconds = seconds
        self._cancelled = cancelled
        self._console = _console(device)
        self._width = max(self._console.width, _NARROWEST)
        self._unread = request_lines(request, offers.grants, self._width)
        self._total = len(self._unread)
        self._secrets = has_secrets(request)
        self._until = 0.0

    def answer(self) -> Answer:
        """Ask until there is an answer. Raises what `Device.read_line` raises."""
        self._turn_page(max(self._console.height, _LOWEST) - _KEYS_HEIGHT)
        self._until = monotonic() + self._seconds
        misunderstood = 0
        while misunderstood < _PATIENCE:
            answer = self._handle(self._read(self._keys()))
            if isinstance(answer, Answer):
                return answer
            if not answer:
                misunderstood += 1
                self.say("That is not a valid answer.")
        return denied("three invalid answers")

    def say(self, text: str) -> None:
        """Print a line of the prompt itself."""
        self._print(folded(text, self._width))

    def _handle(self, word: str) -> Answer | bool:
        """Return the answer, or whether the word was valid."""
        meant = _WORDS.get(word.lower(), "")
        if not word:
            return denied("bare Enter")
        if meant == "deny":
            return denied("denied at the terminal")
        if meant == "explain":
            self._print(explanation_lines(self._request, self._width))
            return True
        if meant == "values" and self._secrets:
            self._print(argument_lines(self._request, self._width, plain=True))
            return True
        if meant in ("more", "full") and self._unread:
            self._turn_page(max(self._console.height, _LOWEST) - _KEYS_HEIGHT if meant == "more" else self._total)
            return True
        if meant in SCOPES and self._request.once:
            self.say(f"Only this call can be approved: {one_line(self._request.once)}. o approves it.")
            return True
        if not self._offered(meant):
            return False
        if self._unread:
            self.say("You cannot allow text that was not shown: m shows more, f the full text.")
            return True
        return self._narrow() if meant == "narrow" else self._yes(meant, self._offers.grants.get(meant))

    def _offered(self, meant: str) -> bool:
        if meant == "narrow":
            return bool(self._offers.narrower)
        return meant == "once" or meant in self._offers.grants

    def _narrow(self) -> Answer | bool:
        offers = self._offers.narrower
        self._print(narrowing_lines(offers, self._width))
        word = self._read([f"1-{len(offers)} allow that, b back (Enter: deny)"])
        if not word:
            return denied("bare Enter")
        if word.lower() in ("b", "back"):
            return True
        if _WORDS.get(word.lower()) == "deny":
            return denied("denied at the terminal")
        if word.isascii() and word.isdecimal() and len(word) < 6 and 1 <= int(word) <= len(offers):
            scope, _label, grant = offers[int(word) - 1]
            return self._yes(scope, grant)
        return False

    def _yes(self, choice: str, grant: object | None) -> Answer:
        return Answer(choice=as_choice(choice), by=signed(PLACE), grant=grant)

    def _keys(self) -> list[str]:
        keys = key_line(
            tuple(self._offers.grants),
            narrow=bool(self._offers.narrower),
            unread=len(self._unread),
            secrets=self._secrets,
        )
        if not self._unread:
            return [keys]
        return [f"Shown: lines 1-{self._total - len(self._unread):,} of {self._total:,}.", keys]

    def _turn_page(self, height: int) -> None:
        page, self._unread = self._unread[:height], self._unread[height:]
        self._print(page)

    def _read(self, keys: list[str]) -> str:
        self._print([line for text in keys for line in folded(text, self._width, "dim")])
        self._device.discard()  # text typed before the question is not its answer
        self._print([Line(_PROMPT)], end="")
        try:
            return self._device.read_line(self._until, self._cancelled)
        except (EOFError, KeyboardInterrupt, TimeoutError, Withdrawn):
            self.say("")  # without Enter, the next line would continue the question
            raise

    def _print(self, lines: Sequence[Line], end: str = "\n") -> None:
        from rich.text import Text

        encoding = getattr(self._device.output, "encoding", None) or "utf-8"
        text = Text(end="")
        for number, line in enumerate(lines):
            shown = line.text.encode(encoding, "backslashreplace").decode(encoding)
            text.append("\n" * (number > 0) + shown, line.style)
        self._console.print(text, end=end, soft_wrap=True)


def denied(reason: str) -> Answer:
    """Return the denial of the user at the terminal."""
    return Answer(choice="deny", by=signed(PLACE), reason=reason)


def _console(device: Device) -> Console:
    from rich.console import Console

    return Console(file=device.output, highlight=False, markup=False, emoji=False)
