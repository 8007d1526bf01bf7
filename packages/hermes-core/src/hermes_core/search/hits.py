"""What a search answers with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that was found.

    Attributes:
        name: The tool's name, as its definition has it.
        score: How well it fits. Scores compare within one answer only.
        why: Where it matched, such as `name: create, issue`; `related` stands before words whose synonyms or topic
            matched, `meaning` for a tool that has none of the words, and yet means something alike.
    """

    name: str
    score: float
    why: tuple[str, ...] = ()
