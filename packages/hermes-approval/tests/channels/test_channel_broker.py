"""A request waits until somebody resolves it, from wherever they are, and is answered once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.broker import Broker
from hermes_core.findings import ApprovalRequest

if TYPE_CHECKING:
    Asking = Callable[..., ApprovalRequest]

PATIENCE = 60.0
BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


class Bell:
    """Rings for every request, so that nobody has to guess when it waits."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._rung = threading.Semaphore(0)

    def __call__(self, request: ApprovalRequest) -> None:
        self.heard.append(request.id)
        self._rung.release()

    def wait(self, times: int = 1) -> None:
        for _ in range(times):
            assert self._rung.acquire(timeout=PATIENCE)


def asked(pool: ThreadPoolExecutor, broker: Broker, bell: Bell, *requests: ApprovalRequest) -> list[Future[Answer]]:
    """Ask in threads, one request after the other."""
    futures = []
    for request in requests:
        futures.append(pool.submit(broker.ask, request))
        bell.wait()
    return futures


def test_another_thread_resolves_by_id(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        (future,) = asked(pool, broker, bell, asking("a"))
        assert [request.id for request in broker.pending()] == ["a"]
        assert broker.resolve("a", "session", by="ann", reason="fine", grant="a grant")
        assert future.result(PATIENCE) == Answer(choice="session", by="ann", reason="fine", grant="a grant")
    assert broker.pending() == ()


def test_a_request_is_resolved_once(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        (future,) = asked(pool, broker, bell, asking("a"))
        assert [broker.resolve("a", "deny", by="ann"), broker.resolve("a", "always", by="eve")] == [True, False]
        assert future.result(PATIENCE).by == "ann"
    assert not broker.resolve("a", "once", by="eve")
    assert not broker.resolve("unknown", "once", by="eve")


def test_of_many_who_resolve_at_once_one_wins(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor(max_workers=17) as pool:
        (future,) = asked(pool, broker, bell, asking("a"))
        barrier = threading.Barrier(16)

        def resolve(name: str) -> bool:
            barrier.wait(PATIENCE)
            return broker.resolve("a", "once", by=name)

        won = [pool.submit(resolve, str(number)) for number in range(16)]
        winners = [str(number) for number, one in enumerate(won) if one.result(PATIENCE)]
        assert [future.result(PATIENCE).by] == winners


def test_the_oldest_request_is_resolved_first(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        futures = asked(pool, broker, bell, *map(asking, "cab"))
        assert [request.id for request in broker.pending()] == ["c", "a", "b"]
        for expected, future in zip("cab", futures, strict=True):
            resolved = broker.resolve_next("once", "ann")
            assert resolved is not None
            assert resolved.id == expected
            assert future.result(PATIENCE).allowed
    assert broker.resolve_next("once", "ann") is None


def test_all_requests_are_resolved_at_once(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        futures = asked(pool, broker, bell, *map(asking, "abc"))
        assert broker.resolve("b", "deny", by="bob")
        assert broker.resolve_all("once", "ann") == 2
        assert [future.result(PATIENCE).by for future in futures] == ["ann", "bob", "ann"]
    assert broker.resolve_all("once", "ann") == 0


def test_closing_denies_whoever_waits_and_whoever_comes(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        futures = asked(pool, broker, bell, *map(asking, "abc"))
        broker.close()
        closed = Answer(choice="deny", by="broker", reason="closed")
        assert [future.result(PATIENCE) for future in futures] == [closed] * 3
    assert broker.ask(asking("d")) == closed
    assert bell.heard == ["a", "b", "c"]
    broker.close()


def test_silence_times_out(asking: Asking) -> None:
    broker = Broker(seconds=0.05)
    with pytest.raises(TimeoutError, match=r"within 0\.05 seconds"):
        broker.ask(asking("a"))
    assert broker.pending() == ()
    assert not broker.resolve("a", "once", by="too late")


@BACKENDS
def test_a_task_on_the_same_loop_resolves(backend: str, asking: Asking) -> None:
    async def main() -> None:
        broker = Broker()
        answers: list[Answer] = []

        async def ask() -> None:
            answers.append(await broker.aask(asking("a")))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                while not broker.pending():
                    await anyio.sleep(0)
                assert broker.resolve("a", "once", by="task")
        assert [answer.by for answer in answers] == ["task"]

    anyio.run(main, backend=backend)


@BACKENDS
def test_a_task_on_another_loop_resolves(backend: str, asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))

    async def resolve() -> bool:
        return broker.resolve("a", "once", by="elsewhere")

    with ThreadPoolExecutor() as pool:
        future = pool.submit(lambda: anyio.run(broker.aask, asking("a"), backend=backend))
        bell.wait()
        assert anyio.run(resolve)
        assert future.result(PATIENCE).by == "elsewhere"


@BACKENDS
def test_an_async_callback_may_resolve_the_request_itself(backend: str, asking: Asking) -> None:
    async def notify(request: ApprovalRequest) -> None:
        await anyio.sleep(0)
        broker.resolve(request.id, "deny", by="callback")

    broker = Broker(notify=notify)
    assert anyio.run(broker.aask, asking("a"), backend=backend).by == "callback"
    assert broker.ask(asking("b")).by == "callback"


def test_a_callback_without_async_that_returns_an_awaitable_is_awaited(asking: Asking) -> None:
    async def later(request: ApprovalRequest) -> None:
        broker.resolve(request.id, "once", by="later")

    def notify(request: ApprovalRequest) -> object:
        return later(request)

    broker = Broker(notify=notify)
    assert broker.ask(asking("a")).by == "later"


def test_a_callback_that_blocks_does_not_block_the_loop(asking: Asking) -> None:
    release = threading.Event()
    began = threading.Event()

    def notify(_request: ApprovalRequest) -> None:
        began.set()
        assert release.wait(PATIENCE)

    async def main() -> Answer:
        broker = Broker(notify=notify)
        answers: list[Answer] = []

        async def ask() -> None:
            answers.append(await broker.aask(asking("a")))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                assert await anyio.to_thread.run_sync(began.wait, PATIENCE)
                assert broker.resolve("a", "once", by="meanwhile")
        release.set()
        return answers[0]

    assert anyio.run(main).by == "meanwhile"


async def fail_later(_request: ApprovalRequest) -> None:
    await anyio.sleep(0)
    raise RuntimeError("no network")


def fail(_request: ApprovalRequest) -> None:
    raise RuntimeError("no network")


def leave(_request: ApprovalRequest) -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(("notify", "why"), [(fail, "no network"), (fail_later, "no network"), (leave, "SystemExit")])
def test_a_request_that_nobody_hears_of_is_denied(notify: Any, why: str, asking: Asking) -> None:
    answer = Broker(notify=notify).ask(asking("a"))
    assert (answer.choice, answer.by) == ("deny", "broker")
    assert "the notification of the request failed" in answer.reason
    assert why in answer.reason


@BACKENDS
def test_a_cancelled_request_does_not_wait_any_more(backend: str, asking: Asking) -> None:
    async def main() -> None:
        broker = Broker()
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(broker.aask, asking("a"))
                while not broker.pending():
                    await anyio.sleep(0)
                tasks.cancel_scope.cancel()
        assert broker.pending() == ()
        assert not broker.resolve("a", "once", by="too late")

    anyio.run(main, backend=backend)


def test_two_requests_with_one_id_are_not_mixed_up(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        (future,) = asked(pool, broker, bell, asking("a"))
        with pytest.raises(ValueError, match="'a' is already waiting"):
            broker.ask(asking("a", command="something else"))
        assert broker.resolve("a", "once", by="ann")
        assert future.result(PATIENCE).allowed


def test_an_answer_that_does_not_exist_resolves_nothing(asking: Asking) -> None:
    broker = Broker(notify=(bell := Bell()))
    with ThreadPoolExecutor() as pool:
        (future,) = asked(pool, broker, bell, asking("a"))
        word: Any = "yes"
        with pytest.raises(ValueError, match="'yes' is not an answer"):
            broker.resolve("a", word, by="x")
        with pytest.raises(ValueError, match="'yes' is not an answer"):
            broker.resolve_all(word, "x")
        assert broker.resolve_all("deny", "x") == 1
        assert not future.result(PATIENCE).allowed


def test_what_is_refused_never_waits(asking: Asking) -> None:
    with pytest.raises(ValueError, match="no one can approve it"):
        Broker().ask(asking(severity="refuse"))
