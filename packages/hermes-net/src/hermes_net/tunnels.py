"""The handshakes with proxies, independent of sync or async I/O.

Each handshake is a generator: it yields bytes to send, receives bytes, and returns when the tunnel is open.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Generator
from ipaddress import IPv4Address, ip_address

from hermes_net.proxies import Proxy

Handshake = Generator[bytes, bytes, None]

_MAX_ANSWER = 64 * 1024
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})")
_SOCKS_OPEN, _SOCKS_BY_PASSWORD = 0, 2
_SOCKS_REASONS = {
    1: "general failure",
    2: "its rules do not allow it",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "time expired",
}


class TunnelError(Exception):
    """Raised when a proxy does not open a tunnel."""


def handshake(proxy: Proxy, host: str, port: int) -> Handshake:
    """Return the handshake that makes a proxy connect to a host."""
    return _connect(proxy, host, port) if proxy.scheme in ("http", "https") else _socks(proxy, host, port)


def proxy_authorization(proxy: Proxy) -> str:
    """Return the value of `Proxy-Authorization`; empty without credentials."""
    if not proxy.user and not proxy.password:
        return ""
    return "Basic " + base64.b64encode(f"{proxy.user}:{proxy.password}".encode()).decode("ascii")


def _connect(proxy: Proxy, host: str, port: int) -> Handshake:
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if who := proxy_authorization(proxy):
        lines.append(f"Proxy-Authorization: {who}")
    answer = yield "\r\n".join([*lines, "", ""]).encode("ascii")
    while b"\r\n\r\n" not in answer:
        if len(answer) > _MAX_ANSWER:
            raise TunnelError(f"The {proxy} sends too many headers.")
        answer += yield b""
    status = _STATUS.match(answer)
    if status is None or not status[1].startswith(b"2"):
        said = answer.split(b"\r\n", 1)[0][:100].decode("ascii", "replace")
        raise TunnelError(f"The {proxy} does not connect to {target}: {said}. {_advice(proxy, status)}")
    if not answer.endswith(b"\r\n\r\n"):
        raise TunnelError(f"The {proxy} sends data before a request.")


def _advice(proxy: Proxy, status: re.Match[bytes] | None) -> str:
    if status is not None and status[1] == b"407":
        wants = "a different user and password" if proxy.user or proxy.password else "a user and a password"
        return f"It requires {wants} in its URL: http://USER:PASSWORD@HOST:PORT."
    return "If it only allows names, or no plain HTTP, set security.proxy_targets to 'name'."


def _socks(proxy: Proxy, host: str, port: int) -> Handshake:
    by_password = bool(proxy.user or proxy.password)
    answer = yield bytes([5, 1, _SOCKS_BY_PASSWORD if by_password else _SOCKS_OPEN])
    answer = yield from _at_least(2, answer)
    if answer != bytes([5, _SOCKS_BY_PASSWORD if by_password else _SOCKS_OPEN]):
        raise TunnelError(f"The {proxy} does not support this authentication method.")
    if by_password:
        user, password = proxy.user.encode()[:255], proxy.password.encode()[:255]
        answer = yield bytes([1, len(user)]) + user + bytes([len(password)]) + password
        answer = yield from _at_least(2, answer)
        if answer[1] != 0:
            raise TunnelError(f"The {proxy} rejects the user and password.")
    answer = yield b"\x05\x01\x00" + _socks_target(host) + port.to_bytes(2, "big")
    answer = yield from _at_least(5, answer)
    if answer[1] != 0:
        reason = _SOCKS_REASONS.get(answer[1], f"error {answer[1]}")
        raise TunnelError(f"The {proxy} does not connect to {host}: {reason}.")
    sizes = {1: 4, 3: 1 + answer[4], 4: 16}
    yield from _at_least(6 + sizes.get(answer[3], 0), answer)


def _at_least(size: int, answer: bytes) -> Generator[bytes, bytes, bytes]:
    while len(answer) < size:
        answer += yield b""
    return answer


def _socks_target(host: str) -> bytes:
    try:
        address = ip_address(host)
    except ValueError:
        name = host.encode("ascii")[:255]
        return bytes([3, len(name)]) + name
    return (b"\x01" if isinstance(address, IPv4Address) else b"\x04") + address.packed
