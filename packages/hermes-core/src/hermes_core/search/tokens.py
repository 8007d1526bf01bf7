"""Counts tokens: as a model's own tokenizer does where it is installed, and by a rule of thumb where it is not."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from hermes_core.errors import describe_error
from hermes_core.search.estimate import CHARS_PER_TOKEN, tokens_of_chars

DEFAULT_ENCODING = "o200k_base"
"""How models count whose own way nobody published, near enough."""

_LOADING_SECONDS = 20.0
"""The tokenizer fetches its tables at its first use, and would wait for a network that is not there."""

_REASON_CHARS = 120
"""A failed connection explains itself at length."""

EXTRA = "hermes-core[tokens]"


class TokenCounter(ABC):
    """A way to count.

    Attributes:
        method: What it is called.
        exact: Whether the model in question counts like that.
        note: What somebody should know who relies on the numbers; empty when nothing is.
    """

    method: str
    exact: bool
    note: str

    @abstractmethod
    def of(self, texts: Iterable[str]) -> int:
        """How many tokens some texts are together."""


class RuleOfThumb(TokenCounter):
    """Four characters are one token."""

    method = f"estimate: {CHARS_PER_TOKEN} characters are one token"
    exact = False

    def __init__(self, note: str = "") -> None:
        self.note = note

    def of(self, texts: Iterable[str]) -> int:
        """The characters of all texts, divided and rounded up once."""
        return tokens_of_chars(sum(map(len, texts)))


class Tokenizer(TokenCounter):
    """The tables of a model, or of those that are closest to it."""

    def __init__(self, encoding: Any, *, exact: bool, note: str = "") -> None:
        self.method = f"tiktoken: {encoding.name}"
        self.exact = exact
        self.note = note
        self._encode: Callable[..., list[int]] = encoding.encode

    def of(self, texts: Iterable[str]) -> int:
        """The tokens of each text. A mark such as <|endoftext|> in a description is text, and no mark."""
        return sum(len(self._encode(text, disallowed_special=())) for text in texts)


def token_counter(model: str | None = None) -> TokenCounter:
    """The best way to count for a model that there is here.

    Args:
        model: Its name, as its provider writes it; None means no model in particular.
    """
    try:
        tiktoken = import_module("tiktoken")
    except ImportError:
        return RuleOfThumb(f"For exact counts: pip install '{EXTRA}'.")
    loaded = _in_time(lambda: _encoding(tiktoken, model))
    if isinstance(loaded, BaseException):
        why = describe_error(loaded)[:_REASON_CHARS]
        return RuleOfThumb(f"tiktoken could not load its tables, so this is an estimate: {why}")
    encoding, known = loaded
    if model and not known:
        return Tokenizer(encoding, exact=False, note=f"tiktoken does not know {model!r}; it may count differently.")
    return Tokenizer(encoding, exact=known)


def _encoding(tiktoken: Any, model: str | None) -> tuple[Any, bool]:
    """A model's tables, and whether they are its own."""
    if model:
        try:
            return tiktoken.encoding_for_model(model), True
        except KeyError:  # what it says of a model that it does not know
            pass
    return tiktoken.get_encoding(DEFAULT_ENCODING), False


def _in_time(load: Callable[[], tuple[Any, bool]]) -> tuple[Any, bool] | BaseException:
    """What a function returns or raises, unless it takes too long."""
    found: list[tuple[Any, bool] | BaseException] = []

    def run() -> None:
        try:
            found.append(load())
        except Exception as error:  # foreign code: whatever keeps it from counting, the rule of thumb does not need
            found.append(error)

    thread = threading.Thread(target=run, name="hermes-tiktoken", daemon=True)
    thread.start()
    thread.join(_LOADING_SECONDS)
    return found[0] if found else TimeoutError(f"not there after {_LOADING_SECONDS:g} s")
