"""Counts tokens with tiktoken if it is installed, otherwise estimates them."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from hermes_core.commands import install_command
from hermes_core.errors import describe_error
from hermes_search.definition_sizes import CHARS_PER_TOKEN, tokens_of_chars

DEFAULT_ENCODING = "o200k_base"
"""The encoding for models without a published tokenizer."""

_SILENT_SECONDS = 5.0
"""The tokenizer downloads its tables at its first use, and would wait forever for a silent network."""

_LOADING_SECONDS = 60.0
"""How long a slow network or a busy machine may take in total."""

_LOOK_SECONDS = 0.1

_REASON_CHARS = 120
_MODEL_CHARS = 80
"""How much notes repeat of an error and of a name."""

_OFFLINE = "It needs a network once, or TIKTOKEN_CACHE_DIR with tables that were fetched elsewhere."

EXTRA = "hermes-search[tokens]"


class TokenCounter(ABC):
    """A way to count tokens.

    Attributes:
        method: Its name.
        exact: Whether the model counts in the same way.
        note: A caveat about the numbers, or empty.
    """

    method: str
    exact: bool
    note: str

    @abstractmethod
    def of(self, texts: Iterable[str]) -> int:
        """Return how many tokens some texts have together."""


class RuleOfThumb(TokenCounter):
    """Estimates four characters as one token."""

    method = f"estimate: {CHARS_PER_TOKEN} characters are one token"
    exact = False

    def __init__(self, note: str = "") -> None:
        self.note = note

    def of(self, texts: Iterable[str]) -> int:
        """Return the characters of all texts divided by four, rounded up."""
        return tokens_of_chars(sum(map(len, texts)))


class Tokenizer(TokenCounter):
    """Counts with the tables of a model, or with similar ones."""

    def __init__(self, encoding: Any, *, exact: bool, note: str = "") -> None:
        self.method = f"tiktoken: {encoding.name}"
        self.exact = exact
        self.note = note
        self._encode: Callable[..., list[int]] = encoding.encode

    def of(self, texts: Iterable[str]) -> int:
        """Return the tokens of all texts. A mark such as <|endoftext|> in a description counts as text."""
        return sum(len(self._encode(text, disallowed_special=())) for text in texts)


def token_counter(model: str | None = None) -> TokenCounter:
    """Return the most exact available counter for a model.

    Args:
        model: Its name, as its provider writes it; None means no model in particular.
    """
    model = (model or "").strip()
    loaded = _in_time(lambda: _encoding(model))
    if isinstance(loaded, ImportError):
        every = "The estimate is the same for every model. " if model else ""
        return RuleOfThumb(f"{every}For exact counts: {install_command(EXTRA)}.")
    if isinstance(loaded, BaseException):
        why = describe_error(loaded)
        why = why if len(why) <= _REASON_CHARS else f"{why[: _REASON_CHARS - 3]}..."
        return RuleOfThumb(f"tiktoken could not load its tables, so this is an estimate. {_OFFLINE} ({why})")
    encoding, known = loaded
    if model and not known:
        shown = model if len(model) <= _MODEL_CHARS else f"{model[: _MODEL_CHARS - 3]}..."
        return Tokenizer(encoding, exact=False, note=f"tiktoken does not know {shown!r}; it may count differently.")
    return Tokenizer(encoding, exact=known)


def _encoding(model: str) -> tuple[Any, bool]:
    """Return a model's tables, and whether they are its own; a router puts the provider before the name."""
    tiktoken = import_module("tiktoken")
    for name in dict.fromkeys((model, model.removeprefix("openai/"))) if model else ():
        try:
            return tiktoken.encoding_for_model(name), True
        except KeyError:  # an unknown model
            continue
    return tiktoken.get_encoding(DEFAULT_ENCODING), False


def _in_time(load: Callable[[], tuple[Any, bool]]) -> tuple[Any, bool] | BaseException:
    """Return what a function returns or raises, unless it takes too long."""
    found: list[tuple[Any, bool] | BaseException] = []
    clocks: list[int] = []

    def run() -> None:
        try:
            clocks.extend(_own_clock())
            found.append(load())
        except Exception as error:  # foreign code: without it, tokens are estimated
            found.append(error)

    thread = threading.Thread(target=run, name="hermes-tiktoken", daemon=True)
    started = time.monotonic()
    thread.start()
    _wait_while_it_works(thread, clocks)
    return found[0] if found else TimeoutError(f"no tables after {time.monotonic() - started:.0f} s")


def _own_clock() -> list[int]:
    """Return the CPU clock of this thread, if the system has one."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)  # not on Windows, and not on macOS
    return [] if clock_of is None else [clock_of(threading.get_ident())]


def _wait_while_it_works(thread: threading.Thread, clocks: list[int]) -> None:
    """Wait for a thread while it makes progress, but not for a silent network."""
    began = last = time.monotonic()
    work = 0.0
    while thread.is_alive() and time.monotonic() < min(began + _LOADING_SECONDS, last + _SILENT_SECONDS):
        thread.join(_LOOK_SECONDS)
        done = _work_on(clocks)
        if done > work:
            work, last = done, time.monotonic()


def _work_on(clocks: list[int]) -> float:
    try:
        return sum(time.clock_gettime(clock) for clock in clocks)
    except OSError:  # the thread has ended
        return 0.0
