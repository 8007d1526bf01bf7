"""What a model said, taken out of what its server sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model said.

    Attributes:
        text: Its words, without those that it thought first.
        cut: Whether it had to stop before it was done.
    """

    text: str
    cut: bool = False


class NoAnswerError(Exception):
    """Raised when there are no words in what a server sent; it says why."""

    def __init__(self, reason: str, *, again: bool = True) -> None:
        self.again = again
        super().__init__(reason)


def read_completion(sent: Any) -> Completion:
    """What a model said.

    Args:
        sent: What the client made of the answer: a completion, or whatever else a server sends.

    Raises:
        NoAnswerError: it said nothing, refused, or this is no completion.
    """
    choices = getattr(sent, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise NoAnswerError("the answer is not a chat completion")
    message = getattr(choices[0], "message", None)
    if getattr(message, "refusal", None):
        raise NoAnswerError("the model refused", again=False)
    reason = getattr(choices[0], "finish_reason", None)
    if reason == "content_filter":
        raise NoAnswerError("a content filter stopped the model", again=False)
    cut = reason == "length"
    text = _spoken(_words(getattr(message, "content", None)))
    if not text:
        raise NoAnswerError("all its tokens were spent before it said anything" if cut else "the answer is empty")
    return Completion(text=text, cut=cut)


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    # Some servers send a list of parts, as they get one.
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(part for part in parts if isinstance(part, str))


def _spoken(text: str) -> str:
    """The text without the thoughts that some servers leave before it."""
    text = text.strip()
    if text.startswith("<think>"):
        text = text.partition("</think>")[2].strip()
    # What cannot be sent on as UTF-8 would fail far from here.
    return text.encode("utf-8", "replace").decode("utf-8")
