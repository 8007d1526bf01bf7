"""Resolve names within a time limit, and validate every answer."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from hermes_net.addresses import Address
from hermes_net.errors import Refusal

Resolver = Callable[[str], Iterable[Any]]
"""Returns the addresses of a host as texts or `ipaddress` objects; raises when there are none."""

_MAX_ANSWERS = 1000
"""More than any DNS response can hold."""


def resolve(host: str, resolver: Resolver | None, seconds: float) -> tuple[Address, ...]:
    """Return the distinct addresses of a host.

    Raises:
        Refusal: there are none, or not in time.
    """
    answers = _answer_of(resolver or system_resolver, host, seconds)
    try:
        found = tuple(dict.fromkeys(_address(answer) for answer in answers))
    except (TypeError, ValueError):
        raise Refusal("unresolved", f"{host} did not resolve to a list of addresses.") from None
    if not found:
        raise Refusal("unresolved", f"{host} has no address.")
    return found


def system_resolver(host: str) -> list[str]:
    """Resolve a host with the system."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


def _answer_of(resolver: Resolver, host: str, seconds: float) -> list[Any]:
    """Call a resolver in a thread: a DNS lookup cannot be cancelled otherwise."""
    answers: SimpleQueue[list[Any] | BaseException] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(_listed(resolver(host)))
        except BaseException as error:  # resolvers are third-party code
            answers.put(error)

    try:
        Thread(target=ask, name=f"resolve {host[:40]}", daemon=True).start()
        answer = answers.get(timeout=max(seconds, 0.001))
    except Empty:
        raise Refusal("timeout", f"{host} could not be resolved within {seconds:g} seconds.") from None
    except RuntimeError:  # no thread can be started
        raise Refusal("unresolved", f"{host} could not be looked up.") from None
    if isinstance(answer, TimeoutError):
        raise Refusal("timeout", f"{host} could not be resolved in time.")
    if isinstance(answer, BaseException):
        raise Refusal("unresolved", f"{host} could not be resolved.")
    return answer


def _listed(answer: Iterable[Any]) -> list[Any]:
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a resolver is a plain function")
    if isinstance(answer, str | IPv4Address | IPv6Address):
        return [answer]
    listed = list(islice(answer, _MAX_ANSWERS + 1))
    if len(listed) > _MAX_ANSWERS:
        raise ValueError("too many addresses")
    return listed


def _address(answer: Any) -> Address:
    """Convert an answer: a text, an `ipaddress` object, or an entry of `getaddrinfo`."""
    while isinstance(answer, tuple):
        answer = answer[4] if len(answer) == 5 else answer[0] if answer else None
    if not isinstance(answer, str | IPv4Address | IPv6Address):
        raise TypeError(f"{type(answer).__name__} is not an address")
    return ip_address(str(answer).partition("%")[0])
