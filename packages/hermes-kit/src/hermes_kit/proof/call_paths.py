"""Every path that a call can take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_kit.proof.probe import ProbeNames

if TYPE_CHECKING:
    from hermes_core import Hermes, Session

Take = Callable[["Hermes", "Session"], object]

TOOL_CALL = "tool_call"
_OFTEN = 6
"""Enough calls that fast hooks move from a worker thread to the caller's thread, which is a path, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A way to call the probe in a session.

    Attributes:
        name: Its name.
        take: Makes the calls.
        calls: The number of calls.
        below: Whether a child host of the user's host makes the calls, in its own session.
        tool: The tool that is called in the end.
    """

    name: str
    take: Take
    calls: int = 1
    below: bool = False
    tool: str


def all_paths(names: ProbeNames, *, hiding: bool = True) -> Iterator[Path]:
    """Yield every path through the pipeline. The direct one is first, as it starts the host's own session.

    Args:
        names: The tools to call.
        hiding: Whether hidden tools can be called, which users can turn off.
    """
    probe = names.probe
    hidden = {"name": probe, "arguments": {}}
    two: list[tuple[str, dict[str, Any]]] = [(probe, {}), (probe, {})]

    async def session_async(_host: Hermes, session: Session) -> None:
        async with session:
            await session.acall(probe)

    async def often_async(host: Hermes, session: Session) -> object:
        return [await host.acall(probe, session=session) for _ in range(_OFTEN)]

    def path(name: str, take: Take, calls: int = 1, below: bool = False, tool: str = probe) -> Path:
        return Path(name=name, take=take, calls=calls, below=below, tool=tool)

    yield path("direct", lambda host, _session: host.call(probe))
    yield path("async", _awaited(lambda host, session: host.acall(probe, session=session)))
    yield path("batch", lambda host, session: host.batch(two, session=session), 2)
    yield path("async batch", _awaited(lambda host, session: host.abatch(two, session=session)), 2)
    yield path("worker thread", lambda host, session: _in_a_thread(lambda: host.call(probe, session=session)))
    yield path("inside a loop", _inside_a_loop(lambda host, session: host.call(probe, session=session)))
    yield path("nested", lambda host, session: host.call(names.nested_sync, session=session))
    yield path("nested async", lambda host, session: host.call(names.nested, {"way": "call"}, session=session))
    yield path("nested batch", lambda host, session: host.call(names.nested, {"way": "batch"}, session=session), 2)
    yield path("session", lambda _host, session: session.call(probe))
    yield path("async session", _awaited(session_async))
    yield path("alias", lambda host, session: host.call(names.alias, session=session))
    if hiding:
        yield path("tool_call", lambda host, session: host.call("tool_call", hidden, session=session))
    yield path("repeated", lambda host, session: [host.call(probe, session=session) for _ in range(_OFTEN)], _OFTEN)
    yield path("repeated async", _awaited(often_async), _OFTEN)
    yield path("child host", lambda host, session: host.call(probe, session=session), below=True)
    yield path(
        "approval", lambda host, session: host.call(names.asking, session=session), below=True, tool=names.asking
    )


def _awaited(start: Callable[[Hermes, Session], Any]) -> Take:
    import anyio

    async def main(host: Hermes, session: Session) -> object:
        return await start(host, session)

    return lambda host, session: anyio.run(main, host, session)


def _inside_a_loop(start: Take) -> Take:
    import anyio

    async def main(host: Hermes, session: Session) -> object:
        return start(host, session)

    return lambda host, session: anyio.run(main, host, session)


def _in_a_thread(start: Callable[[], object]) -> None:
    import threading

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join()  # the call has its own deadline
