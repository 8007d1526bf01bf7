"""How much work one patch may make: a hostile one must not keep the machine busy."""

from __future__ import annotations

_STEPS = 40_000_000
"""Lines that are looked at in vain; a few seconds of work. A patch that fits needs almost none of them."""

_CHARACTERS = 100_000_000
"""Text that is searched for hunks that fit nowhere exactly, all hunks together; some seconds of work."""


class TooMuchError(Exception):
    """Raised when a patch has used up what it may."""


class Effort:
    """What one patch has left."""

    def __init__(self) -> None:
        self._steps = _STEPS
        self._characters = _CHARACTERS

    def look(self, lines: int) -> None:
        """Count lines that were looked at and were not the right ones.

        Raises:
            TooMuchError: there were too many of them.
        """
        self._steps -= lines
        if self._steps < 0:
            raise TooMuchError

    def search(self, characters: int) -> None:
        """Count text that is about to be searched for something similar; the first text may be of any length.

        Raises:
            TooMuchError: there was too much of it.
        """
        if self._characters < 0 or (self._characters < _CHARACTERS and characters > self._characters):
            raise TooMuchError
        self._characters -= characters
