"""Does the same with several things at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

Thing = TypeVar("Thing")
Result = TypeVar("Result")


async def in_parallel(do: Callable[[Thing], Awaitable[Result]], things: Sequence[Thing]) -> list[Result]:
    """What becomes of each thing, in their order, in the time of the slowest.

    Args:
        do: What is done; what it raises ends all.
        things: To what.
    """
    done: dict[int, Result] = {}

    async def take(place: int, thing: Thing) -> None:
        done[place] = await do(thing)

    async with anyio.create_task_group() as tasks:
        for place, thing in enumerate(things):
            tasks.start_soon(take, place, thing)
    return [done[place] for place in range(len(things))]
