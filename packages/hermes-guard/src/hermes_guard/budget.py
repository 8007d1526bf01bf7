"""How much work the code inside of one judged text may cause, however it is nested or spread over commands."""

#: A step takes about a microsecond. All steps together leave the reading of the shell half of its 50 ms.
STEPS = 20_000
#: What reading leaves for the judging of the commands that it finds.
_RESERVE = 6_000


class Budget:
    """The steps that are left for one judged text."""

    __slots__ = ("exceeded", "left", "told")

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps
        #: True once something was left unread.
        self.exceeded = False
        #: True once somebody was told that a command was left unjudged.
        self.told = False

    def reads(self, steps: int = 1) -> bool:
        """Take steps for reading; False when they are not to be had."""
        if self.left - steps < _RESERVE:
            self.exceeded = True
            return False
        self.left -= steps
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
