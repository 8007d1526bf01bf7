"""Limits the work that judging one text may cause, however its code is nested or spread over commands."""

import gc
import sys
from time import perf_counter, thread_time

#: Longer texts need approval, and only their ends are read: a person does not type that much.
MAX_LENGTH = 32_768
#: A step takes about a microsecond. All steps together leave half of the 50 ms for reading the shell code.
STEPS = 20_000
#: Number of steps between two checks of the clock.
_STEPS_PER_LOOK = 1_000
#: Steps that the reader leaves for judging the commands it finds.
_RESERVE = 6_000


#: CPU seconds for everything, and for the grammar, which is slow on text that is not shell code. A typical script takes
#: a tenth of that; a text that takes more needs approval.
SECONDS, GRAMMAR_SECONDS = 0.03, 0.012
#: The same for one end of a text that is too long to read as a whole, and the number of such parts: both ends, and the
#: parts around dangerous words between them.
_END_SECONDS, _END_GRAMMAR_SECONDS, _END_STEPS = 0.003, 0.002, 8_000
_ENDS = 3


class Budget:
    """The steps and the time left for judging one text."""

    __slots__ = ("_certain", "_cleaned", "_end", "_ends", "_loaded", "exceeded", "grammar", "left", "reported")

    def __init__(self, steps: int = STEPS, *, seconds: float = SECONDS, grammar: float = GRAMMAR_SECONDS) -> None:
        self.left = steps
        self._end = thread_time() + seconds
        #: The time limit cannot be exceeded before this moment, because CPU time never passes faster than wall time.
        #: This clock is cheaper to read.
        self._certain = perf_counter() + seconds
        self._ends = _ENDS
        self._loaded, self._cleaned = len(sys.modules), _cleaned()
        #: CPU seconds left for the grammar.
        self.grammar = grammar
        #: True once something was left unread.
        self.exceeded = False
        #: True once a finding has reported that a command was left unjudged.
        self.reported = False

    def for_an_end(self) -> "Budget | None":
        """Return the budget for reading one end of a text, whatever was read before; None after enough ends."""
        if not self._ends:
            return None
        self._ends -= 1
        end = Budget(_END_STEPS, seconds=_END_SECONDS, grammar=_END_GRAMMAR_SECONDS)
        end._ends = 0
        return end

    def reads(self, steps: int = 1) -> bool:
        """Spend steps on reading; return False when too few are left."""
        left = self.left - steps
        if left < _RESERVE or (left // _STEPS_PER_LOOK != self.left // _STEPS_PER_LOOK and self.late):
            self.exceeded = True
            return False
        self.left = left
        return True

    def runs(self, steps: int) -> bool:
        """Spend steps on judging a command; return False when too few are left."""
        if self.left < steps:
            return False
        self.left -= steps
        return True

    @property
    def readable(self) -> int:
        """Return how many steps are left for reading."""
        return max(0, self.left - _RESERVE)

    @property
    def late(self) -> bool:
        """Return True when the time is over.

        Time spent on other work does not count: the limit grows by a third after a full garbage collection, and doubles
        when modules were loaded, as for the first text in some language.
        """
        if perf_counter() <= self._certain or thread_time() <= self._end:
            return False
        loaded, cleaned = len(sys.modules), _cleaned()
        if loaded == self._loaded and cleaned == self._cleaned:
            return True
        more = SECONDS / 3 if loaded == self._loaded else SECONDS
        self._loaded, self._cleaned = loaded, cleaned
        self._end = thread_time() + more
        return False


def _cleaned() -> int:
    """Return the number of full garbage collections so far."""
    return int(gc.get_stats()[-1]["collections"])
