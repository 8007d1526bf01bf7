"""Talking to services: what goes wrong with them is met with patience, and explained."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import anyio
import pytest

from hermes_net import NetPolicy, WebsiteBlocklist
from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.api import ApiRequest, call_api
from hermes_tools_web.providers.protocol import Access, ProviderError
from hermes_tools_web.providers.tavily import TavilyProvider


@pytest.fixture
def account(vendor: Any, access: Any, key: str) -> Account:
    """An account at the vendor's server."""
    return Account.read("tavily", TavilyProvider.setup, access(tavily_api_key=key, tavily_url=vendor.url).settings)


@pytest.fixture
def asking(account: Account, access: Callable[..., Access], key: str) -> Callable[..., Any]:
    """Asks the vendor's server something."""

    async def do(**options: Any) -> Any:
        policy = options.pop("policy", None)
        headers = {"Authorization": f"Bearer {key}"}
        request = ApiRequest(**{"path": "/x", "headers": headers, "body": {"q": 1}, **options})
        return await call_api(options.pop("account", account), request, access(policy=policy))

    return do


def test_the_object_of_the_answer_is_given(vendor: Any, asking: Any, run: Any) -> None:
    vendor.says({"results": [1]})
    assert run(asking) == {"results": [1]}
    assert vendor.last.headers["user-agent"] == "hermes-tools-web"
    assert vendor.last.headers["accept"] == "application/json"


def test_it_works_with_trio_too(vendor: Any, reply: Any, asking: Any) -> None:
    vendor.answers(reply(status=503, body={}, headers={"Retry-After": "0"}), reply(body={"ok": True}))
    assert anyio.run(asking, backend="trio") == {"ok": True}
    assert len(vendor.asked) == 2


@pytest.mark.parametrize(
    ("status", "message", "retryable"),
    [
        (400, "Tavily did not accept the request (HTTP 400): too long.", False),
        (401, "Tavily rejects the key: too long.", False),
        (402, "The credits at Tavily are used up: too long.", True),
        (403, "Tavily does not allow this: too long.", False),
        (404, "Tavily is not at its URL, or does not support the request: too long.", False),
        (405, "Tavily is not at its URL, or does not support the request: too long.", False),
        (408, "Tavily failed (HTTP 408): too long.", True),
        (413, "Tavily did not accept the request (HTTP 413): too long.", False),
        (422, "Tavily did not accept the request (HTTP 422): too long.", False),
        (501, "Tavily failed (HTTP 501): too long.", True),
    ],
)
def test_a_status_that_stays_is_explained_at_once(
    vendor: Any, asking: Any, problem: Any, status: int, message: str, retryable: bool
) -> None:
    vendor.says({"detail": {"error": "too long."}}, status)
    error = problem(asking)
    assert error.message == message
    assert (error.retryable, error.status) == (retryable, status)
    assert error.hint
    assert len(vendor.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_status_that_passes_is_met_with_two_more_attempts(
    vendor: Any, reply: Any, asking: Any, run: Any, problem: Any, status: int
) -> None:
    transient = reply(status=status, body={"error": "busy"}, headers={"Retry-After": "0"})
    vendor.answers(transient, transient, reply(body={"ok": True}))
    assert run(asking) == {"ok": True}
    assert len(vendor.asked) == 3
    vendor.answers(transient)
    error = problem(asking)
    assert (error.retryable, error.status) == (True, status)
    assert len(vendor.asked) == 6


def test_without_a_word_about_it_a_service_is_left_alone_for_a_moment(
    vendor: Any, reply: Any, asking: Any, run: Any
) -> None:
    vendor.answers(reply(status=503, body=b""), reply(body={"ok": True}))
    assert run(asking) == {"ok": True}


@pytest.mark.parametrize(
    "later", ["7200", format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)], ids=["seconds", "date"]
)
def test_a_service_that_wants_to_be_left_alone_for_long_is(vendor: Any, asking: Any, problem: Any, later: str) -> None:
    vendor.says({"error": "slow down"}, 429, Retry_After=later)
    error = problem(asking)
    assert error.message == "The rate limit of Tavily is exceeded: slow down."
    assert error.hint.startswith("Try again in 7")
    assert len(vendor.asked) == 1


@pytest.mark.parametrize(
    "later", ["Tue, 01 Jan 2019 00:00:00 GMT", "Tue, 01 Jan 2019 00:00:00 -0000", "Tue, 01 Jan 2019 00:00:00"]
)
def test_a_date_that_has_passed_is_now(vendor: Any, reply: Any, asking: Any, run: Any, later: str) -> None:
    vendor.answers(reply(status=429, body={}, headers={"Retry-After": later}), reply(body={"ok": True}))
    assert run(asking) == {"ok": True}


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "soon"},
        {"Retry-After": "-1"},
        {"Retry-After": "9" * 400},
        {"X-RateLimit-Remaining": "0, zero", "X-RateLimit-Reset": "now"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": ""},
    ],
)
def test_odd_words_about_when_to_come_back_do_no_harm(
    vendor: Any, reply: Any, asking: Any, run: Any, headers: dict[str, str]
) -> None:
    vendor.answers(reply(status=429, body={}, headers=headers), reply(body={"ok": True}))
    assert run(asking) == {"ok": True}


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"{", "it is not JSON (application/json)"),
        (b"", "it is not JSON (application/json)"),
        (b"\xff\xfe\x00", "it is not JSON (application/json)"),
        (b"[" * 100_000, "it is not JSON (application/json)"),
        (b"[1]", "it is not an object"),
        (b'"text"', "it is not an object"),
        (b"null", "it is not an object"),
    ],
)
def test_an_answer_of_another_shape_is_explained(
    vendor: Any, asking: Any, problem: Any, body: bytes, what: str
) -> None:
    vendor.says(body)
    error = problem(asking)
    assert error.message == f"Tavily sent an undocumented response: {what}."
    assert error.retryable
    assert len(vendor.asked) == 1


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "ignore all; that"])
def test_only_a_kind_that_is_one_is_repeated(vendor: Any, asking: Any, problem: Any, kind: str) -> None:
    vendor.says(b"<html>", 200, Content_Type=kind)
    expected = "text/html" if kind.startswith("text") else "no content type"
    assert problem(asking).message.endswith(f"it is not JSON ({expected}).")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(vendor: Any, asking: Any, problem: Any, status: int) -> None:
    vendor.says(b"", status, Location=f"{vendor.url}/elsewhere")
    error = problem(asking)
    assert error.message == "Tavily redirects the request, and the key is not sent to another URL."
    assert "web.tavily_url" in error.hint
    assert [asked.path for asked in vendor.asked] == ["/x"]


def test_a_slow_service_is_not_waited_for(vendor: Any, reply: Any, asking: Any, problem: Any) -> None:
    vendor.answers(reply(hangs=True))
    error = problem(asking, seconds=0.4)
    assert error.message == "Tavily did not answer within 0.4 seconds."
    assert error.retryable


def test_of_a_service_that_first_fails_and_then_hangs_the_failure_is_told(
    vendor: Any, reply: Any, asking: Any, problem: Any
) -> None:
    vendor.answers(reply(status=500, body={"error": "oops"}, headers={"Retry-After": "0"}), reply(hangs=True))
    assert problem(asking, seconds=1.0).message == "Tavily failed (HTTP 500): oops."
    assert len(vendor.asked) == 2


@pytest.fixture
def dead() -> Iterator[str]:
    """A URL where nobody answers, and nobody will while the test runs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # it is bound, and does not listen
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_dead_server_is_explained(dead: str, access: Any, problem: Any) -> None:
    opened = access(tavily_api_key="k1", tavily_url=dead)
    error = problem(TavilyProvider().search, "x", 5, opened)
    assert error.message == "Tavily cannot be reached (ConnectError)."
    assert error.hint == "Ask the user to check that it is running and that web.tavily_url is correct."


def test_a_name_that_nobody_knows_is_explained(access: Any, problem: Any) -> None:
    opened = access(tavily_api_key="k1", tavily_url="https://nowhere.invalid")
    error = problem(TavilyProvider().search, "x", 5, opened)
    assert error.message.startswith("Tavily cannot be reached: ")
    assert error.retryable


def test_metadata_services_stay_refused_even_as_ones_own(access: Any, problem: Any) -> None:
    opened = access(tavily_api_key="k1", tavily_url="http://169.254.169.254")
    error = problem(TavilyProvider().search, "x", 5, opened)
    assert error.message.startswith("Tavily cannot be reached: ")
    assert not error.retryable


def test_a_blocked_site_is_not_asked(vendor: Any, access: Any, key: str, problem: Any) -> None:
    policy = NetPolicy(blocklist=WebsiteBlocklist(["tavily.com"], []))
    opened = access(tavily_api_key=key, policy=policy)
    error = problem(TavilyProvider().search, "x", 5, opened)
    assert error.message.startswith("Tavily cannot be reached: ")
    assert "security" in error.hint


def test_a_proxy_that_cannot_be_is_explained(
    vendor: Any, asking: Any, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://proxy:1")
    error = problem(asking)
    assert error.message.startswith("Tavily cannot be reached: ")
    assert not vendor.asked


def test_an_answer_without_end_is_not_read_to_it(vendor: Any, asking: Any, problem: Any) -> None:
    vendor.says(b" " * (33 * 1024 * 1024))
    error = problem(asking)
    assert "an undocumented response" in error.message
    assert len(vendor.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 402, 403, 429, 500])
def test_the_key_is_never_repeated(
    vendor: Any, account: Account, asking: Any, problem: Any, key: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    vendor.says({"detail": f"The key {key} is not one of ours."}, status, Retry_After="100")
    error = problem(asking)
    assert vendor.last.headers["authorization"] == f"Bearer {key}"
    for shown in (error.message, error.hint, repr(error), repr(account), caplog.text):
        assert key not in shown
    assert "is not one of ours" in error.message


def test_an_answer_in_spite_of_its_status_is_given(vendor: Any, asking: Any, run: Any) -> None:
    vendor.says({"success": False, "code": "PAGE"}, 500)
    found = run(asking, is_answer=lambda status, said: status == 500 and said["code"] == "PAGE")
    assert found == {"success": False, "code": "PAGE"}


def test_words_in_deep_places_are_found_and_kept_short(vendor: Any, asking: Any, problem: Any) -> None:
    vendor.says({"errors": [{"x": 1}, {"message": {"description": "so <|im_start|> it " + "is " * 500}}]}, 400)
    message = problem(asking).message
    assert "so" in message
    assert "<|im_start|>" not in message
    assert len(message) < 400


def test_a_key_that_can_be_none_is_not_sent(vendor: Any, access: Any) -> None:
    for wrong in ("a b", "k\u00e9y", "k\nX-Evil: 1"):
        opened = access(tavily_api_key=wrong, tavily_url=vendor.url)
        assert TavilyProvider().missing(opened) == (
            "web.tavily_api_key (or TAVILY_API_KEY) contains characters that keys do not have."
        )


def test_errors_carry_what_programs_need(vendor: Any, asking: Any, problem: Any) -> None:
    vendor.says({}, 404)
    error = problem(asking)
    assert isinstance(error, ProviderError)
    assert (error.provider, error.code, error.status) == ("tavily", "provider_failed", 404)
