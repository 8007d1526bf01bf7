"""Documents are read in threads: within a time, never too many at once, and with every failure explained."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from functools import partial

import anyio
import pytest

from hermes_tools_web.documents.document import Document, UnreadableError
from hermes_tools_web.documents.reader import DocumentReader, ReadError
from hermes_tools_web.fetcher.fetch import FetchedPage

FETCHED = FetchedPage(url="http://a.test/", final_url="http://a.test/b", status=200, body=b"Hello")
DOCUMENT = Document(kind="text", markdown="Hello")


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set when the test is over, so that threads end."""
    event = threading.Event()
    yield event
    event.set()


def read(reader: DocumentReader, *, seconds: float = 10.0, backend: str = "asyncio") -> Document:
    async def run() -> Document:
        return await reader.read(FETCHED, seconds=seconds)

    return anyio.run(run, backend=backend)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_document_is_read_away_from_the_event_loop(backend: str) -> None:
    threads: list[threading.Thread] = []

    def note(fetched: FetchedPage) -> Document:
        assert fetched is FETCHED
        threads.append(threading.current_thread())
        return DOCUMENT

    assert read(DocumentReader(maximum=1, read=note), backend=backend) is DOCUMENT
    assert threads[0] is not threading.main_thread()


def test_what_cannot_be_read_is_explained() -> None:
    def fail(_: FetchedPage) -> Document:
        raise UnreadableError("It is a film.", "Watch it.")

    with pytest.raises(ReadError) as caught:
        read(DocumentReader(maximum=1, read=fail))
    assert (caught.value.reason, caught.value.hint) == ("It is a film.", "Watch it.")


@pytest.mark.parametrize("error", [RecursionError("deep"), MemoryError(), ValueError("secret"), KeyError(1)])
def test_whatever_a_parser_raises_is_explained_and_logged(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: FetchedPage) -> Document:
        raise error

    with caplog.at_level(logging.WARNING), pytest.raises(ReadError) as caught:
        read(DocumentReader(maximum=1, read=fail))
    assert caught.value.reason == f"The page could not be read: {type(error).__name__}."
    assert "secret" not in caught.value.reason
    assert "http://a.test/b" in caplog.text


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_document_that_takes_too_long_is_given_up(over: threading.Event, backend: str) -> None:
    def stuck(_: FetchedPage) -> Document:
        over.wait(20)
        return DOCUMENT

    started = time.monotonic()
    with pytest.raises(ReadError, match="too long"):
        read(DocumentReader(maximum=1, read=stuck), seconds=0.1, backend=backend)
    assert time.monotonic() - started < 15


def test_threads_that_are_stuck_do_not_add_up(over: threading.Event) -> None:
    busy: list[int] = []

    def stuck(_: FetchedPage) -> Document:
        busy.append(1)
        over.wait(20)
        return DOCUMENT

    reader = DocumentReader(maximum=2, read=stuck)
    for _ in range(6):
        with pytest.raises(ReadError, match="too long"):
            read(reader, seconds=0.05)
    assert len(busy) == 2


def test_a_thread_that_is_done_at_last_makes_room() -> None:
    go, gone = threading.Event(), threading.Event()
    calls: list[int] = []

    def first_is_stuck(_: FetchedPage) -> Document:
        calls.append(1)
        if len(calls) == 1:
            go.wait(20)
            gone.set()
        return DOCUMENT

    reader = DocumentReader(maximum=1, read=first_is_stuck)
    with pytest.raises(ReadError):
        read(reader, seconds=0.05)
    go.set()
    assert gone.wait(10)
    assert read(reader) is DOCUMENT


def test_whoever_waits_in_vain_reads_nothing_later() -> None:
    go = threading.Event()
    calls: list[float] = []

    def slow(_: FetchedPage) -> Document:
        calls.append(time.monotonic())
        go.wait(20)
        return DOCUMENT

    reader = DocumentReader(maximum=1, read=slow)

    async def two() -> list[str]:
        reasons: list[str] = []

        async def one() -> None:
            try:
                await reader.read(FETCHED, seconds=0.1)
            except ReadError as error:
                reasons.append(error.reason)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one)
            tasks.start_soon(one)
        return reasons

    assert anyio.run(two) == ["Parsing the page took too long."] * 2
    go.set()
    for thread in threading.enumerate():
        if thread.name.startswith("AnyIO"):
            thread.join(10)
    assert len(calls) == 1


def test_many_documents_are_read_side_by_side() -> None:
    together = threading.Barrier(4)

    def wait_for_the_others(_: FetchedPage) -> Document:
        together.wait(10)
        return DOCUMENT

    reader = DocumentReader(maximum=4, read=wait_for_the_others)

    async def run() -> list[Document]:
        found: list[Document] = []

        async def one() -> None:
            found.append(await reader.read(FETCHED, seconds=10))

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(one)
        return found

    assert anyio.run(run) == [DOCUMENT] * 4


def test_pages_that_wait_for_their_turn_hold_nothing_else_up(over: threading.Event) -> None:
    def hold(_: FetchedPage) -> Document:
        over.wait(20)
        return DOCUMENT

    reader = DocumentReader(maximum=1, read=hold)

    async def run() -> int:
        async with anyio.create_task_group() as tasks:
            for _ in range(60):  # more than there are threads for everything else
                tasks.start_soon(partial(reader.read, FETCHED, seconds=20))
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(60):
                found = await anyio.to_thread.run_sync(lambda: 42)
            over.set()
        return found

    assert anyio.run(run) == 42
