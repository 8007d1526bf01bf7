"""Asking providers, whoever wrote them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import ToolUnavailableError
from hermes_tools_web.providers.calls import extract, search
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Page, ProviderError, SearchRow
from hermes_tools_web.providers.selection import Candidate, Choice

ROW = SearchRow(url="https://example.org/", title="T", description="D")
PAGE = Page(url="https://example.org/", content="C")


class Does:
    """A provider that does what it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def search(self, query: str, limit: int, access: Any) -> Any:
        return self._done()

    def extract(self, urls: Any, access: Any) -> Any:
        return self._done()

    def _done(self) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer() if callable(self.answer) else self.answer


def chosen(*answers: Any, explicit: bool = False, point: str = SEARCH) -> Choice:
    candidates = tuple(Candidate(name=f"p{n}", provider=Does(answer)) for n, answer in enumerate(answers, 1))
    return Choice(point=point, candidates=candidates, explicit=explicit)


@pytest.fixture
def find(run: Callable[..., Any], access: Any) -> Callable[..., Any]:
    return lambda choice, limit=5: run(search, choice, "x", limit, access())


@pytest.fixture
def read(run: Callable[..., Any], access: Any) -> Callable[..., Any]:
    return lambda choice, urls=("https://example.org/",): run(extract, choice, urls, access())


def test_sync_providers_are_called_in_a_thread(find: Any) -> None:
    seen: list[threading.Thread] = []

    def answer() -> list[SearchRow]:
        seen.append(threading.current_thread())
        return [ROW]

    assert find(chosen(answer)).items == (ROW,)
    assert seen[0] is not threading.main_thread()


def test_async_providers_are_awaited_whatever_they_look_like(find: Any, read: Any) -> None:
    async def answer() -> list[SearchRow]:
        return [ROW]

    class Async:
        async def search(self, query: str, limit: int, access: Any) -> list[SearchRow]:
            return [ROW]

    assert find(chosen(answer)).items == (ROW,)
    async_choice = Choice(point=SEARCH, candidates=(Candidate(name="a", provider=Async()),))
    assert find(async_choice).provider == "a"
    assert read(chosen([PAGE], point=EXTRACT)).items == (PAGE,)


def test_rows_are_made_plain_and_no_more_than_wanted(find: Any) -> None:
    rows = [SearchRow(url="data:x"), *(SearchRow(url=f"https://example.org/{n}", title="<b>T</b>") for n in range(9))]
    found = find(chosen(rows), 3)
    assert [(row.url, row.title) for row in found.items] == [(f"https://example.org/{n}", "T") for n in range(3)]


def test_the_next_is_asked_when_one_cannot(find: Any) -> None:
    busy = ProviderError("p1", "It is busy.", retryable=True)
    wrong = ProviderError("p2", "The key is wrong.", status=401)
    found = find(chosen(busy, wrong, [ROW]))
    assert (found.items, found.provider) == ((ROW,), "p3")
    assert found.notes == (
        "p1 failed: It is busy. Fell back to p2.",
        "p2 failed: The key is wrong. Fell back to p3.",
    )


@pytest.mark.parametrize("status", [301, 401, 402, 403, 404, 405])
def test_trouble_with_a_service_is_a_reason_to_ask_another(find: Any, status: int) -> None:
    assert find(chosen(ProviderError("p1", "No.", status=status), [ROW])).provider == "p2"


@pytest.mark.parametrize("status", [400, 413, 422, None])
def test_trouble_with_the_question_is_none(find: Any, status: int | None) -> None:
    with pytest.raises(ProviderError, match="Too long"):
        find(chosen(ProviderError("p1", "Too long.", status=status), [ROW]))


def test_nobody_is_asked_in_place_of_the_users_choice(find: Any) -> None:
    with pytest.raises(ProviderError, match="busy"):
        find(chosen(ProviderError("p1", "It is busy.", retryable=True), [ROW], explicit=True))


def test_of_several_who_cannot_the_last_one_is_told_and_the_others_are_noted(find: Any) -> None:
    first, second = (
        ProviderError("p1", "First.", status=401),
        ProviderError("p2", "Second.", hint="Wait.", retryable=True),
    )
    with pytest.raises(ProviderError) as caught:
        find(chosen(first, second))
    told = caught.value
    assert (told.provider, told.message, told.hint, told.retryable) == ("p2", "Second.", "Wait.", True)
    assert told.notes == ("p1 failed: First. Fell back to p2.",)


def test_nothing_found_is_an_answer(find: Any) -> None:
    assert find(chosen([], [ROW])).provider == "p1"


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (None, "it returned nothing instead of a list of SearchRow"),
        ("text", "it returned a str instead of a list of SearchRow"),
        ({"url": "x"}, "it returned a dict instead of a list of SearchRow"),
        ([{"url": "x"}], "it returned a dict in a list of SearchRow"),
        ([SearchRow(url=None)], "SearchRow.url is not text"),  # type: ignore[arg-type]
        ([SearchRow(url="u", title=5)], "SearchRow.title is not text"),  # type: ignore[arg-type]
    ],
)
def test_a_provider_that_gives_something_else_is_named(find: Any, answer: Any, what: str) -> None:
    with pytest.raises(ProviderError) as caught:
        find(chosen(answer))
    assert caught.value.message == f"The provider p1 violates its protocol: {what}."
    assert find(chosen(answer, [ROW])).provider == "p2"


def test_there_is_a_page_for_each_url_or_an_error(read: Any) -> None:
    with pytest.raises(ProviderError, match="it returned 0 pages for 1 URLs"):
        read(chosen([], point=EXTRACT))
    with pytest.raises(ProviderError, match=r"Page\.content is not text"):
        read(chosen([Page(url="u", content=b"x")], point=EXTRACT))  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", [ValueError("my-secret-token"), KeyError("x"), RecursionError()])
def test_what_foreign_code_raises_is_contained(find: Any, raised: Exception) -> None:
    with pytest.raises(ProviderError) as caught:
        find(chosen(raised))
    assert caught.value.message == f"p1 failed: {type(raised).__name__}."
    assert "my-secret-token" not in f"{caught.value.message}{caught.value.hint}"
    assert find(chosen(raised, [ROW])).provider == "p2"


def test_errors_of_tools_and_timeouts_are_understood(find: Any) -> None:
    with pytest.raises(ProviderError, match="Not here") as caught:
        find(chosen(ToolUnavailableError("Not here.", hint="Install it.")))
    assert caught.value.hint == "Install it."
    assert find(chosen(ToolUnavailableError("Not here."), TimeoutError(), [ROW])).provider == "p3"
    with pytest.raises(ProviderError, match="p1 did not answer in time"):
        find(chosen(TimeoutError()))
