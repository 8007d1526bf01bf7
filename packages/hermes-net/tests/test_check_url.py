"""What is said about URLs, one by one and by the million."""

from __future__ import annotations

import ipaddress
import json
import socket
import subprocess
import sys
import threading
from ipaddress import IPv4Address
from itertools import repeat
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_net import NetPolicy, UrlVerdict, acheck_url, check_url

HERE = Path(__file__).parent
ALLOWED = [json.loads(line) for line in (HERE / "urls_allowed.txt").read_text().splitlines()]
REFUSED = [line.split(" ", 1) for line in (HERE / "urls_refused.txt").read_text().splitlines()]
NAMES: dict[str, Any] = {
    "private.test": ["192.168.1.1"],
    "mixed.test": ["93.184.216.34", "2606:4700::1", "10.0.0.1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "sixtofour.test": ["2002:7f00:1::"],
    "cloud.test": ["169.254.169.254"],
    "multicast.test": ["224.0.0.1"],
    "empty.test": [],
    "nonsense.test": ["127.0.0.1.nonsense"],
    "nowhere.test": socket.gaierror("no such name"),
    "broken.test": KeyError("broken"),
    "late.test": TimeoutError("too late"),
    "localtest.me": ["127.0.0.1"],
    "lvh.me": ["127.0.0.1"],
    "127.0.0.1.nip.io": ["127.0.0.1"],
    "10-0-0-1.sslip.io": ["10.0.0.1"],
}
OPEN = NetPolicy(allow_private=True)
UNHURRIED = settings(deadline=None)  # a busy machine is no reason to fail


def resolver(host: str) -> Any:
    answer = NAMES.get(host, ["93.184.216.34"])
    if isinstance(answer, Exception):
        raise answer
    return answer


def no_resolver(host: str) -> Any:
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize("url", ALLOWED)
def test_what_is_on_the_public_web_is_allowed(url: str) -> None:
    verdict = check_url(url, resolver=resolver)
    assert (verdict.allowed, verdict.reason, verdict.code) == (True, "", "")
    assert verdict
    assert verdict.addresses


@pytest.mark.parametrize(("code", "written"), REFUSED)
def test_everything_else_is_refused_with_its_reason(code: str, written: str) -> None:
    verdict = check_url(json.loads(written), resolver=resolver)
    assert (verdict.allowed, verdict.code) == (False, code)
    assert verdict.reason.endswith(".")


@pytest.mark.parametrize("written", [written for code, written in REFUSED if code == "metadata"])
def test_metadata_services_stay_closed_where_private_addresses_are_open(written: str) -> None:
    assert check_url(json.loads(written), resolver=resolver, policy=OPEN).code == "metadata"


@pytest.mark.parametrize("code", ["scheme", "spelling", "credentials", "port", "api_key", "reserved", "not_a_url"])
def test_only_private_addresses_are_opened(code: str) -> None:
    urls = [json.loads(written) for kind, written in REFUSED if kind == code]
    assert [url for url in urls if check_url(url, resolver=resolver, policy=OPEN)] == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/",
        "http://10.1/",
        "http://[::1]/",
        "http://[fd12::1]/",
        "http://[::ffff:192.168.0.1]/",
        "http://private.test/",
        "http://100.64.0.1/",
        "http://foo.localhost/",
        "http://0.0.0.0:8000/",
        "http://[::]:8000/",
        "http://printer.local/",
    ],
)
def test_private_addresses_are_opened_by_the_policy(url: str) -> None:
    assert not check_url(url, resolver=resolver)
    assert check_url(url, resolver=resolver, policy=OPEN)


@pytest.mark.parametrize("url", [None, 5, b"http://example.com/", ["http://example.com/"], object()])
def test_what_is_no_text_is_refused(url: Any) -> None:
    assert check_url(url, resolver=no_resolver).code == "not_a_url"


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        [IPv4Address("127.0.0.1")],
        ("127.0.0.1",),
        "127.0.0.1",
        ["fe80::1%eth0"],
        [("127.0.0.1", 80)],
        [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))],
        ["0177.0.0.1"],
        [2130706433],
        [b"\x7f\0\0\1"],
        [None],
        [()],
        [""],
        None,
        5,
        {},
        iter(["10.0.0.1"]),
        repeat("93.184.216.34"),
        ["93.184.216.34", "cdn.example.net."],
        ["93.184.216.34", "::ffff:10.0.0.1"],
        ["93.184.216.34", "fe80::1%eth0"],
        [b"93.184.216.34"],
        ["93.184.216.34:80"],
        ["[2606:4700::1]"],
    ],
)
def test_answers_of_a_resolver_are_understood_or_refused(answer: Any) -> None:
    assert not check_url("http://example.com/", resolver=lambda _: answer)


def test_the_system_resolver_is_used_when_no_other_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(*_: Any, **__: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 0))] * 2

    monkeypatch.setattr(socket, "getaddrinfo", answers)
    assert check_url("http://example.com/") == UrlVerdict(
        allowed=True, host="example.com", addresses=("93.184.216.34",)
    )


@pytest.mark.parametrize("error", [OSError(), RuntimeError(), SystemExit(), KeyboardInterrupt(), UnicodeError()])
def test_whatever_a_resolver_raises_is_a_refusal(error: BaseException) -> None:
    def raising(_: str) -> list[str]:
        raise error

    assert check_url("http://example.com/", resolver=raising).code == "unresolved"


def test_a_resolver_that_does_not_come_back_is_a_refusal() -> None:
    over = threading.Event()
    waiting = NetPolicy(resolve_seconds=0.05)
    verdict = check_url("http://a.test/", resolver=lambda _: ["8.8.8.8"] * over.wait(9.0), policy=waiting)
    over.set()
    assert verdict.code == "timeout"


def test_a_machine_without_threads_resolves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    assert check_url("http://example.com/", resolver=resolver).code == "unresolved"


def test_an_address_is_not_looked_up() -> None:
    assert check_url("http://8.8.8.8/", resolver=no_resolver).addresses == ("8.8.8.8",)


def test_a_url_can_be_checked_from_async_code() -> None:
    async def check() -> list[UrlVerdict]:
        urls = ("http://example.com/", "http://private.test/")
        return [await acheck_url(url, resolver=resolver) for url in urls]

    assert [bool(verdict) for verdict in anyio.run(check)] == [True, False]


def test_the_text_of_a_url_can_be_checked_without_a_lookup() -> None:
    assert check_url("http://private.test/", resolver=no_resolver, resolve=False)
    assert check_url("http://10.0.0.1/", resolve=False).code == "private"
    assert check_url("http://0107.0107.0107.0107/", resolve=False).code == "spelling"


def test_keys_may_be_allowed_for_code_that_puts_its_own_there() -> None:
    assert check_url("http://a.test/?api_key=abcdef01", resolver=resolver, policy=NetPolicy(keys_in_urls=True))


def test_checking_a_url_loads_no_client() -> None:
    script = """
import sys
from hermes_net import check_url
assert check_url("http://a.test/", resolver=lambda _: ["8.8.8.8"])
print([name for name in ("httpx2", "httpcore2", "anyio", "asyncio", "ssl", "pydantic") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


_HEX, _MIXED = "0123456789abcdef", "aB3dE6gH9kLmN0pQrS"
_KEYS = [  # in two pieces, so that nobody takes them for real ones
    "sk-proj-abcDEF123456ghiJKL789mnoPQR",
    "sk-" + "a" * 30,
    "sk-ant-api03-" + _MIXED * 2,
    "sk-or-v1-" + _HEX * 4,
    "sk_live_" + _MIXED * 2,
    "ghp_" + _MIXED * 2,
    "github_pat_" + "11ABCDEFG0_" + _MIXED * 3,
    "glpat-" + _MIXED,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "xoxb-" + "123456789012-" * 2 + _MIXED,
    "AIza" + "SyA" + _MIXED * 2,
    "ya29." + _MIXED * 2,
    "hf_" + _MIXED * 2,
    "gsk_" + _MIXED * 2,
    "xai-" + _MIXED * 2,
    "tvly-" + _MIXED,
    "pplx-" + _HEX * 2,
    "fc-" + _HEX * 2,
    "r8_" + _MIXED * 2,
    "npm_" + _MIXED * 2,
    "pypi-" + "AgEI" + _MIXED * 2,
    "SG." + _MIXED + "." + _MIXED * 2,
    "dop_v1_" + _HEX * 4,
    "shpat_" + _HEX * 2,
    "hvs." + _MIXED * 4,
    "figd_" + _MIXED * 2,
    "tskey-auth-" + "k1a2b3CNTRL-" + _MIXED,
    "PMAK-" + _HEX + "-" + _HEX * 2,
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "c2lnbmF0dXJl",
]


@pytest.mark.parametrize("key", _KEYS)
@pytest.mark.parametrize(
    "around", ["?q=%s", "?a=1&b=%s&c=2", "?%s", "?%s=1", "#%s", "#x=%s", "%s", "a/%s/b", "%s.png", "?q=see+%s+there"]
)
def test_a_key_is_found_wherever_it_is_and_however_it_is_escaped(key: str, around: str) -> None:
    for _ in range(4):
        assert check_url(f"https://example.com/{around.replace('%s', key)}", resolver=resolver).code == "api_key"
        key = key.replace("%", "%25") if "%" in key else "".join(f"%{ord(char):02X}" for char in key)


def test_a_signature_hides_no_other_key() -> None:
    signed = "https://example.com/f?AWSAccessKeyId={}&Expires=1700000000&Signature=abcDEF%3D"
    verdicts = {key: check_url(signed.format(key), resolver=resolver).code for key in _KEYS}
    assert verdicts.pop("AKIA" + "IOSFODNN7EXAMPLE") == ""
    assert set(verdicts.values()) == {"api_key"}


@pytest.mark.parametrize("key", _KEYS)
def test_a_refusal_does_not_repeat_the_key(key: str) -> None:
    for around in ("?q=%s", "?%s=1", "%s", "?api_key=%s", "?token=%s"):
        verdict = check_url(f"https://example.com/{around.replace('%s', key)}", resolver=resolver)
        assert key[8:] not in verdict.reason


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("ΒΌΛΟΣ.example", "xn--nxasmq6b.example"),
        ("βόλος.example", "xn--nxasmm1c.example"),
        ("Straße.example", "xn--strae-oqa.example"),
        ("STRAẞE.example", "xn--strae-oqa.example"),
        ("ᏣᎳᎩ.example", "xn--f9dt7l.example"),
        ("ꮳꮃꭹ.example", "xn--f9dt7l.example"),
        ("İstanbul.example", "xn--istanbul-o0e.example"),
        ("\u212a.example", "k.example"),
        ("\uff25xample\u3002com", "example.com"),
        ("\ufb01sh.example", "fish.example"),
        ("e\u0301.example", "xn--9ca.example"),
    ],
)
def test_a_name_is_read_as_browsers_read_it(written: str, host: str) -> None:
    assert check_url(f"http://{written}/", resolver=resolver).host == host


# -- every spelling ------------------------------------------------------------------------------------------------

_NETWORKS = [
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
    "100.100.100.200/32 168.63.129.16/32",
]
NOT_PUBLIC = [ipaddress.IPv4Network(net) for net in " ".join(_NETWORKS).split()]
_WIDE = str.maketrans("0123456789abcdefx.", "０１２３４５６７８９ａｂｃｄｅｆｘ。")


@st.composite
def spelled(draw: st.DrawFn, address: st.SearchStrategy[int]) -> str:
    """A way to write an IPv4 address as the host of a URL."""
    value = draw(address)
    parts = draw(st.integers(1, 4))
    numbers = [value >> 8 * (3 - place) & 255 for place in range(parts - 1)]
    numbers.append(value & (1 << 8 * (5 - parts)) - 1)
    text = ".".join(
        draw(st.sampled_from(["{:d}", "0{:o}", "000{:o}", "0x{:x}", "0X{:X}", "0x00{:x}"])).format(each)
        for each in numbers
    )
    return text.translate(_WIDE if draw(st.booleans()) else {}) + draw(st.sampled_from(["", ".", "。"]))


@st.composite
def within(draw: st.DrawFn, address: st.SearchStrategy[int]) -> str:
    """A way to write an IPv4 address within an IPv6 address."""
    value = draw(address)
    six = draw(
        st.sampled_from(
            [
                0xFFFF << 32 | value,
                0xFFFF << 48 | value,
                value if value > 1 else 0xFFFF << 32 | value,
                0x64FF9B << 96 | value,
                0x64FF9B0001 << 80 | value,
                0x2002 << 112 | value << 80 | 1,
                0x20010000 << 96 | value << 64 | 0x1234,
                0x20010000 << 96 | 0x08080808 << 64 | value ^ 0xFFFFFFFF,
                0x26064700 << 96 | 0x5EFE << 32 | value,
                0x26064700 << 96 | 0x2005EFE << 32 | value,
            ]
        )
    )
    found = ipaddress.IPv6Address(six)
    return f"[{draw(st.sampled_from([str(found), found.exploded, str(found).upper()]))}]"


not_public = st.sampled_from(NOT_PUBLIC).flatmap(lambda net: st.integers(int(net[0]), int(net[-1])))
anywhere = st.integers(0, 2**32 - 1)


@UNHURRIED
@given(
    host=spelled(not_public),
    scheme=st.sampled_from(["http", "https", "HTTP"]),
    port=st.sampled_from(["", ":80", ":8080"]),
)
def test_no_spelling_hides_an_address_that_is_not_public(host: str, scheme: str, port: str) -> None:
    assert not check_url(f"{scheme}://{host}{port}/", resolver=no_resolver)


@UNHURRIED
@given(host=within(not_public))
def test_no_ipv6_form_hides_an_address_that_is_not_public(host: str) -> None:
    assert not check_url(f"http://{host}/", resolver=no_resolver)


@UNHURRIED
@given(host=spelled(anywhere))
def test_an_address_in_numbers_is_never_looked_up(host: str) -> None:
    check_url(f"http://{host}/", resolver=no_resolver)


@UNHURRIED
@given(value=anywhere)
def test_what_python_calls_private_is_not_public_for_us(value: int) -> None:
    address = IPv4Address(value)
    if not address.is_global or address.is_multicast:
        assert not check_url(f"http://{address}/", resolver=no_resolver)


@UNHURRIED
@given(value=st.integers(0, 2**128 - 1) | st.integers(0x2000 << 112, (0x2002 << 112) - 1))
def test_what_python_calls_private_in_ipv6_is_not_public_for_us(value: int) -> None:
    address = ipaddress.IPv6Address(value)
    embedded = address.ipv4_mapped or address.sixtofour or address.teredo or value >> 32 in (0, 0x64FF9B << 64)
    if (not address.is_global or address.is_multicast) and not embedded:
        assert not check_url(f"http://[{address}]/", resolver=no_resolver)


# -- never raises --------------------------------------------------------------------------------------------------

_WORDS = r"http https : / // \ @ ? # [ ] % %00 %2e . .. 。 127.0.0.1 ::1 localhost example.com 0x 0 1 xn-- xn--a ß & ="
_MORE_WORDS = [
    "api_key",
    "token",
    "８",
    "a" * 70,
    "9" * 400,
    "-",
    "_",
    "*",
    "\x00",
    "é",
    "İ",
    "ǅ",
    "\t",
    "\n",
    " ",
    "\u200b",
]
_PIECES = st.sampled_from([*_WORDS.split(), *_MORE_WORDS, "\ud800"])


@UNHURRIED
@given(
    url=st.text()
    | st.lists(_PIECES, max_size=14).map("".join)
    | st.lists(_PIECES, max_size=12).map(lambda some: "http://" + "".join(some))
)
@example(url="http://" + "a." * 30_000)
@example(url="http://" + "1" * 60_000)
@example(url="http://example.com/" + "a1" * 30_000)
@example(url="http://example.com/?" + "a=b&" * 15_000)
@example(url="http://example.com/?" + "k" * 60_000 + "=1")
@example(url="http://xn--" + "9" * 59 + ".com/")
def test_nothing_makes_it_raise(url: str) -> None:
    verdict = check_url(url, resolver=resolver)
    assert verdict.allowed == (verdict.code == "") == (verdict.reason == "")
