"""Runs async functions at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import TypeVar

import anyio

Item = TypeVar("Item")
Result = TypeVar("Result")


async def run_parallel(
    do: Callable[[Item], Awaitable[Result]], items: Sequence[Item], *, limit: int | None = None
) -> list[Result]:
    """Apply an async function to items at the same time, `limit` at once, and return the results in order.

    An exception cancels all.
    """
    done: dict[int, Result] = {}
    slots = nullcontext() if limit is None else anyio.CapacityLimiter(limit)

    async def run(place: int, item: Item) -> None:
        async with slots:
            done[place] = await do(item)

    async with anyio.create_task_group() as tasks:
        for place, item in enumerate(items):
            tasks.start_soon(run, place, item)
    return [done[place] for place in range(len(items))]
