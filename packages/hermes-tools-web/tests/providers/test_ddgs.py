"""ddgs: the library itself where there is no network, and something in its place where it should find something."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from ddgs import exceptions

from hermes_tools_web.providers.ddgs import DdgsProvider


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Puts something into the place of the library, and gives what that was asked."""

    def put(answer: Any) -> list[Any]:
        asked: list[Any] = []

        class Stand:
            def __init__(self, **options: Any) -> None:
                asked.append(options)

            def text(self, query: str, **options: Any) -> Any:
                asked.append((query, options, threading.current_thread()))
                if isinstance(answer, Exception):
                    raise answer
                return answer() if callable(answer) else answer

        module = ModuleType("ddgs")
        module.DDGS = Stand  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "ddgs", module)
        monkeypatch.setitem(sys.modules, "ddgs.exceptions", exceptions)
        return asked

    return put


def test_the_library_is_asked_in_a_thread(library: Any, access: Any, run: Any) -> None:
    asked = library([{"title": "T", "href": "https://example.org/", "body": "D"}, "odd", {"title": "no URL"}])
    rows = run(DdgsProvider().search, "pluggy", 3, access())
    assert asked[0] == {"timeout": 10}
    query, options, thread = asked[1]
    assert (query, options) == ("pluggy", {"max_results": 3})
    assert thread is not threading.main_thread()
    assert (rows[0].url, rows[0].title, rows[0].description) == ("https://example.org/", "T", "D")
    assert len(rows) == 2


def test_nothing_found_is_no_error(library: Any, access: Any, run: Any) -> None:
    library(exceptions.DDGSException("No results found."))
    assert run(DdgsProvider().search, "x", 3, access()) == []


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (exceptions.RatelimitException("202"), "The search engines limit requests."),
        (exceptions.TimeoutException("timed out"), "The search engines did not answer in time."),
        (
            exceptions.DDGSException("DNSError: DNSError('<all>')"),
            "No search engine could be reached (DNSError).",
        ),
        (exceptions.DDGSException("who knows"), "No search engine could be reached (who knows)."),
        (exceptions.DDGSException(""), "No search engine could be reached."),
    ],
)
def test_its_errors_are_explained(library: Any, access: Any, problem: Any, raised: Exception, message: str) -> None:
    library(raised)
    error = problem(DdgsProvider().search, "x", 3, access())
    assert error.message == message
    assert error.retryable
    assert "hermes web providers" in error.hint


def test_a_library_that_does_not_come_back_is_not_waited_for(library: Any, access: Any, problem: Any) -> None:
    over = threading.Event()
    library(lambda: over.wait(30))
    try:
        error = problem(DdgsProvider(seconds=0.1).search, "x", 3, access())
    finally:
        over.set()
    assert error.message == "The search engines did not answer in time."


def test_a_thing_of_another_shape_is_nothing(library: Any, access: Any, run: Any) -> None:
    library(None)
    assert run(DdgsProvider().search, "x", 3, access()) == []


def test_without_a_network_it_says_so(access: Any, problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDGS_PROXY", "http://127.0.0.1:9")  # nobody is there, wherever this test runs
    error = problem(DdgsProvider().search, "pluggy", 3, access())
    assert error.message.startswith("No search engine could be reached (")
    assert "Check the network" in error.hint


def test_it_needs_no_more_than_the_library(library: Any, access: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert DdgsProvider().missing(access()) is None
    library([])
    assert DdgsProvider().missing(access()) is None
    monkeypatch.setitem(sys.modules, "ddgs", None)
    assert DdgsProvider().missing(access()) == "The package ddgs is not installed."
