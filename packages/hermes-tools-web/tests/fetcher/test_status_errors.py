"""Every status is explained, and only what may pass is asked for again."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.fetcher.errors import parse_retry_after, status_error

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"


def answer(status: int, *headers: str, body: bytes = b"An error page.") -> bytes:
    lines = [f"HTTP/1.1 {status} Some Reason", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (400, "request_refused", "does not understand"),
        (401, "login_needed", "login"),
        (402, "login_needed", "payment"),
        (403, "forbidden", "blocks automated requests"),
        (404, "not_found", "no such page"),
        (405, "request_refused", "does not support reading"),
        (406, "request_refused", "form"),
        (407, "proxy", "proxy"),
        (408, "server_error", "waited too long"),
        (409, "request_refused", "refuses"),
        (410, "gone", "removed"),
        (414, "request_refused", "too long"),
        (418, "forbidden", "automated requests"),
        (421, "request_refused", "not responsible"),
        (422, "request_refused", "refuses"),
        (425, "server_error", "asks for a retry"),
        (429, "rate_limited", "limits requests"),
        (431, "request_refused", "too large"),
        (451, "legal", "legal"),
        (499, "request_refused", "refuses"),
        (500, "server_error", "failed"),
        (501, "server_error", "does not support"),
        (505, "server_error", "failed"),
        (511, "login_needed", "network"),
        (520, "server_error", "failed"),
        (304, "bad_response", "unchanged"),
        (305, "bad_redirect", "has moved"),
        (600, "bad_response", "not an HTTP status"),
    ],
)
def test_a_status_without_a_page_is_explained(network: Any, status: int, code: str, words: str) -> None:
    server = network.serve(answer(status, body=b"" if status == 304 else b"An error page."))
    error = network.failure(server.url)
    assert (error.code, error.status) == (code, status)
    assert str(status) in error.message
    assert words in error.message
    assert error.hint
    assert len(server.requests) == 1


@given(status=st.integers(min_value=100, max_value=999), header=st.text(max_size=30))
def test_every_status_has_words(status: int, header: str) -> None:
    error = status_error(status, header)
    assert error.message.startswith(f"The server returned {status}: ")
    assert error.message.endswith(".")
    assert error.code
    assert error.hint


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_fault_that_passes_is_asked_for_once_more(network: Any, status: int) -> None:
    answers = [answer(status), PAGE]
    server = network.serve(lambda _: answers.pop(0))
    assert network.fetch(server.url).body == b"hello"
    assert len(server.requests) == 2


def test_a_fault_that_stays_is_explained_after_the_second_time(network: Any) -> None:
    server = network.serve(answer(503))
    error = network.failure(server.url)
    assert (error.code, error.status) == ("server_error", 503)
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_short_pause_that_a_server_asks_for_is_kept(network: Any, status: int) -> None:
    asked: list[float] = []

    def reply(_: bytes) -> bytes:
        asked.append(time.monotonic())
        return PAGE if len(asked) > 1 else answer(status, "Retry-After: 1")

    assert network.fetch(network.serve(reply).url).body == b"hello"
    assert asked[1] - asked[0] >= 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_long_pause_is_told_and_not_waited_for(network: Any, status: int) -> None:
    server = network.serve(answer(status, "Retry-After: 3600"))
    started = time.monotonic()
    error = network.failure(server.url)
    assert time.monotonic() - started < 60
    assert error.retry_after == 3600
    assert "3600 seconds" in str(error.hint)
    assert len(server.requests) == 1


def test_only_short_pauses_are_worth_waiting_for() -> None:
    assert status_error(429, "10").again_after == 10
    assert status_error(429, "11").again_after is None
    assert status_error(503, "11").again_after is None
    assert status_error(500, "1").again_after is None


def test_too_many_requests_without_a_time_are_not_repeated(network: Any) -> None:
    server = network.serve(answer(429))
    assert network.failure(server.url).code == "rate_limited"
    assert len(server.requests) == 1


def test_a_page_is_asked_for_twice_at_most_whatever_fails(network: Any) -> None:
    answers = [answer(503), b"", answer(502), PAGE]
    server = network.serve(lambda _: answers.pop(0))
    assert network.failure(server.url).code == "broken_off"
    assert len(server.requests) == 2


def test_redirects_do_not_make_more_attempts(network: Any) -> None:
    onward = b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    answers = [answer(503), onward, answer(503), PAGE]
    server = network.serve(lambda _: answers.pop(0))
    assert network.failure(server.url).status == 503
    assert server.paths == ["/", "/", "/next"]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("0", 0.0), ("120", 120.0), (" 7 ", 7.0), ("", None), ("soon", None), ("-1", None), ("1.5", None), ("٣", None)],
)
def test_the_seconds_of_a_pause_are_read(written: str, seconds: float | None) -> None:
    assert parse_retry_after(written) == seconds


def test_a_pause_may_be_a_date() -> None:
    assert parse_retry_after(formatdate(time.time() + 100, usegmt=True)) == pytest.approx(100, abs=5)
    assert parse_retry_after(formatdate(time.time() - 100, usegmt=True)) == 0
    assert parse_retry_after("Thu, 01 Jan 9999999 00:00:00 GMT") is None


@given(written=st.text(max_size=60))
def test_a_pause_that_cannot_be_read_is_none(written: str) -> None:
    found = parse_retry_after(written)
    assert found is None or found >= 0
