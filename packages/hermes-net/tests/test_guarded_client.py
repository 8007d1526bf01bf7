"""A guarded client checks what it connects to, connects to what it checked, and does so for each redirect."""

from __future__ import annotations

import ssl
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import httpx2
import pytest

from hermes_net import NetLimits, NetPolicy, UrlRefusedError, WebsiteBlocklist, acheck_url, check_url

HELLO = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
SECRET = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"
METADATA = "169.254.169.254"


def moved(where: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {where}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode()


def test_a_public_page_is_fetched_from_the_address_that_was_checked_and_keeps_its_host(
    network: Any, fetch: Any
) -> None:
    server = network.serve(HELLO)
    response = fetch("http://public.test/page?x=1")
    assert (response.status_code, response.text) == (200, "hello")
    assert network.dialled == [("93.184.216.34", 80)]
    assert network.asked == ["public.test"]
    assert server.requests[0].startswith(b"GET /page?x=1 HTTP/1.1\r\nHost: public.test\r\n")


@pytest.mark.parametrize(
    "url",
    [
        "http://private.test/",
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://[::ffff:10.0.0.7]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://unknown.test/",
        "http://user:password@public.test/",
        "http://public.test/?api_key=abcdef0123456789",
        "http://public.test:25/",
    ],
)
def test_what_may_not_be_fetched_is_refused_before_anybody_is_connected_to(network: Any, fetch: Any, url: str) -> None:
    network.serve(SECRET, "10.0.0.7")
    network.serve(SECRET, "127.0.0.1")
    with pytest.raises(UrlRefusedError) as caught:
        fetch(url)
    assert network.dialled == []
    assert caught.value.verdict.reason
    assert not caught.value.verdict


@pytest.mark.parametrize(
    "where",
    [
        "http://private.test/",
        "http://10.0.0.7/",
        "//0xa000007/",
        "http://169.254.169.254/latest/",
        "http://[::ffff:a00:7]/",
        "http://user@public.test/",
    ],
)
def test_a_redirect_to_what_may_not_be_fetched_is_refused(network: Any, fetch: Any, where: str) -> None:
    network.serve(moved(where))
    private = [network.serve(SECRET, address) for address in ("10.0.0.7", METADATA, "::ffff:a00:7")]
    with pytest.raises(UrlRefusedError):
        fetch("http://public.test/")
    assert [server.requests for server in private] == [[], [], []]


@pytest.mark.parametrize("where", ["file:///etc/passwd", "gopher://10.0.0.7/", "ftp://public.test/"])
def test_a_redirect_to_another_scheme_is_not_followed(network: Any, fetch: Any, where: str) -> None:
    network.serve(moved(where))
    with pytest.raises((UrlRefusedError, httpx2.HTTPError)):
        fetch("http://public.test/")
    assert network.dialled == [("93.184.216.34", 80)]


def test_a_redirect_may_carry_what_its_server_put_there(network: Any, fetch: Any) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
    network.serve(lambda request: HELLO if b"jwt=" in request else moved(f"/file?jwt={token}"))
    assert fetch("http://public.test/").text == "hello"


def test_a_name_that_changes_its_mind_never_leads_to_a_private_address(network: Any, fetch: Any) -> None:
    answers = iter([["93.184.216.34"], ["10.0.0.7"], ["10.0.0.7"]])
    network.names["rebinding.test"] = lambda: next(answers)
    private = network.serve(SECRET, "10.0.0.7")
    network.serve(HELLO)
    assert check_url("http://rebinding.test/", resolver=network.resolver)
    with pytest.raises(UrlRefusedError):
        fetch("http://rebinding.test/")
    assert private.requests == []


def test_a_name_that_changes_its_mind_between_redirects_is_refused(network: Any, fetch: Any) -> None:
    answers = iter([["93.184.216.34"], ["10.0.0.7"]])
    network.names["rebinding.test"] = lambda: next(answers)
    private = network.serve(SECRET, "10.0.0.7")
    network.serve(moved("http://rebinding.test/again"))
    with pytest.raises(UrlRefusedError):
        fetch("http://rebinding.test/")
    assert private.requests == []


def test_one_bad_address_among_good_ones_is_enough_to_refuse(network: Any, fetch: Any) -> None:
    network.serve(HELLO)
    network.names["mixed.test"] = ["93.184.216.34", "10.0.0.7"]
    with pytest.raises(UrlRefusedError):
        fetch("http://mixed.test/")
    assert network.dialled == []


def test_the_next_address_is_tried_when_one_does_not_answer(network: Any, fetch: Any) -> None:
    network.serve(HELLO)
    network.names["two.test"] = ["93.184.216.99", "93.184.216.34"]
    assert fetch("http://two.test/").text == "hello"
    assert network.dialled == [("93.184.216.99", 80), ("93.184.216.34", 80)]


def test_addresses_of_both_kinds_are_tried_in_turn_and_share_the_time(network: Any, fetch: Any) -> None:
    network.serve(HELLO)
    network.names["many.test"] = [*(f"2606:4700::{number}" for number in range(1, 9)), "93.184.216.34"]
    assert fetch("http://many.test/").text == "hello"
    assert network.dialled == [("2606:4700::1", 80), ("93.184.216.34", 80)]


def test_all_addresses_together_get_the_time_of_one(network: Any) -> None:
    times: list[float] = []

    class Nobody(httpcore2.SyncBackend):
        def connect_tcp(self, host: str, port: int, timeout: float | None = None, *_: Any, **__: Any) -> Any:
            times.append(timeout or 0.0)
            raise httpcore2.ConnectTimeout("nobody is there")

    network.names["many.test"] = [f"93.184.216.{number}" for number in range(1, 5)]
    limits = NetLimits(connect_seconds=8.0)
    with network.client(backend=Nobody(), limits=limits) as client, pytest.raises(httpx2.ConnectTimeout):
        client.get("http://many.test/")
    assert len(times) == 4
    assert times[0] <= 2.0
    assert all(0.0 < each <= 8.0 for each in times)


def test_private_addresses_can_be_allowed_and_metadata_cannot(network: Any, fetch: Any) -> None:
    network.serve(HELLO, "10.0.0.7")
    network.serve(HELLO, METADATA)
    policy = NetPolicy(allow_private=True)
    assert fetch("http://private.test/", policy=policy).text == "hello"
    with pytest.raises(UrlRefusedError):
        fetch(f"http://{METADATA}/", policy=policy)
    assert (METADATA, 80) not in network.dialled


def test_a_blocked_website_is_not_fetched_even_by_redirect(network: Any, fetch: Any) -> None:
    network.names["sub.blocked.test"] = ["93.184.216.34"]
    server = network.serve(moved("http://sub.blocked.test/"))
    with pytest.raises(UrlRefusedError, match="blocked by the rule"):
        fetch("http://public.test/", policy=NetPolicy(blocklist=WebsiteBlocklist(["blocked.test"])))
    assert len(server.requests) == 1


def test_the_name_is_kept_for_tls_and_the_certificate_is_verified(
    network: Any, fetch: Any, certificate: tuple[Path, Path]
) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*certificate)
    server = network.serve(HELLO, port=443, tls=serving)
    network.names |= {"secure.test": ["93.184.216.34"], "other.test": ["93.184.216.34"]}
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    assert fetch("https://secure.test/", tls=trusting).text == "hello"
    assert server.server_names == ["secure.test"]
    assert b"Host: secure.test\r\n" in server.requests[0]
    with pytest.raises(httpx2.ConnectError):
        fetch("https://other.test/", tls=trusting)
    assert len(server.requests) == 1


def test_a_resolver_that_hangs_or_fails_is_a_refusal(network: Any, fetch: Any) -> None:
    network.names["slow.test"] = lambda: network.over.wait(20.0) and []
    with pytest.raises(UrlRefusedError) as caught:
        fetch("http://slow.test/", policy=NetPolicy(resolve_seconds=0.05))
    assert caught.value.verdict.code == "timeout"


@pytest.mark.parametrize("option", ["transport", "mounts", "proxy", "trust_env", "verify"])
def test_options_that_would_lead_around_the_guard_are_not_taken(network: Any, option: str) -> None:
    with pytest.raises(TypeError, match=option):
        network.client(**{option: None})


def test_redirects_are_followed_so_far_and_no_further(network: Any, fetch: Any) -> None:
    server = network.serve(moved("/again"))
    with pytest.raises(httpx2.TooManyRedirects):
        fetch("http://public.test/", limits=NetLimits(redirects=3))
    assert len(server.requests) == 4


def test_redirects_can_be_left_to_the_caller(network: Any, fetch: Any) -> None:
    network.serve(moved("http://private.test/"))
    response = fetch("http://public.test/", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (302, "http://private.test/")


def test_passwords_of_the_user_are_not_sent(
    network: Any, fetch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine public.test login me password hidden\n")
    monkeypatch.setenv("NETRC", str(netrc))
    server = network.serve(HELLO)
    fetch("http://public.test/")
    assert b"authorization" not in server.requests[0].lower()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_slow_lookups_of_one_host_do_not_delay_another(network: Any, backend: str) -> None:
    network.serve(HELLO)
    network.names["slow.test"] = lambda: [] * network.over.wait(20.0)
    slow = 45  # more than the threads that async libraries share

    async def run() -> None:
        async with network.async_client() as client, anyio.create_task_group() as tasks:
            for number in range(slow):
                if number % 2:
                    tasks.start_soon(client.get, "http://slow.test/")
                else:
                    tasks.start_soon(partial(acheck_url, "http://slow.test/", resolver=network.resolver))
            with anyio.fail_after(4.0):  # less than a lookup may take
                while network.asked.count("slow.test") < slow:
                    await anyio.sleep(0.01)
                assert (await client.get("http://public.test/")).text == "hello"
            tasks.cancel_scope.cancel()

    anyio.run(run, backend=backend)
