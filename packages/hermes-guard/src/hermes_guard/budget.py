"""How much work one judged text may cause, however its code is nested or spread over commands."""

import gc
import sys
from time import perf_counter, thread_time

#: Longer texts are asked about, and only their ends are read: nobody types them.
MAX_LENGTH = 32_768
#: A step takes about a microsecond. All steps together leave the reading of the shell half of its 50 ms.
STEPS = 20_000
#: After how many steps the clock is looked at.
_STEPS_PER_LOOK = 1_000
#: What reading leaves for the judging of the commands that it finds.
_RESERVE = 6_000


#: Seconds of the processor for everything, and for the grammar, which takes its time with what is no shell code. A
#: person's script takes a tenth of that; a text that takes more is asked about.
SECONDS, GRAMMAR_SECONDS = 0.03, 0.012
#: The same for an end of a text that is not read as a whole, and how many of them are read: both ends, and what names
#: a disaster between them.
_END_SECONDS, _END_GRAMMAR_SECONDS, _END_STEPS = 0.003, 0.002, 8_000
_ENDS = 3


class Budget:
    """The steps and the time that are left for one judged text."""

    __slots__ = ("_certain", "_cleaned", "_end", "_ends", "_loaded", "exceeded", "grammar", "left", "told")

    def __init__(self, steps: int = STEPS, *, seconds: float = SECONDS, grammar: float = GRAMMAR_SECONDS) -> None:
        self.left = steps
        self._end = thread_time() + seconds
        #: Until then nothing can be late: no thread takes more time than passes. This clock costs less to look at.
        self._certain = perf_counter() + seconds
        self._ends = _ENDS
        self._loaded, self._cleaned = len(sys.modules), _cleaned()
        #: Seconds that the grammar may still take.
        self.grammar = grammar
        #: True once something was left unread.
        self.exceeded = False
        #: True once somebody was told that a command was left unjudged.
        self.told = False

    def for_an_end(self) -> "Budget | None":
        """What reading one end of a text may cost, whatever was read before; None when enough of them were read."""
        if not self._ends:
            return None
        self._ends -= 1
        end = Budget(_END_STEPS, seconds=_END_SECONDS, grammar=_END_GRAMMAR_SECONDS)
        end._ends = 0
        return end

    def reads(self, steps: int = 1) -> bool:
        """Take steps for reading; False when they are not to be had."""
        left = self.left - steps
        if left < _RESERVE or (left // _STEPS_PER_LOOK != self.left // _STEPS_PER_LOOK and self.late):
            self.exceeded = True
            return False
        self.left = left
        return True

    def runs(self, steps: int) -> bool:
        """Take steps for judging a command that was found; False when they are not to be had."""
        if self.left < steps:
            return False
        self.left -= steps
        return True

    @property
    def readable(self) -> int:
        """How many steps reading may still take."""
        return max(0, self.left - _RESERVE)

    @property
    def late(self) -> bool:
        """Whether the time is over.

        What else took time meanwhile does not count: a third is added when all of the memory was cleaned, and the
        whole when modules were loaded, as for the first text that holds some language.
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
    """How often all of the memory was cleaned."""
    return int(gc.get_stats()[-1]["collections"])
