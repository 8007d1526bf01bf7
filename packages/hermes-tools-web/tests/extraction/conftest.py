"""Providers that a test makes up, in place of services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from hermes_core import hookimpl
from hermes_tools_web.providers.protocol import Access, Page, Setup

Reads = Callable[[Sequence[str]], Any]


class Service:
    """Reads pages as a test says.

    Attributes:
        asked: The URLs of each request.
    """

    setup = Setup(title="Service", about="Reads pages as a test says.")

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.asked: list[tuple[str, ...]] = []

    def missing(self, access: Access) -> None:
        """Nothing is."""

    async def extract(self, urls: Sequence[str], access: Access) -> Any:
        """What the test says."""
        self.asked.append(tuple(urls))
        return self.reads(urls)


def _itself(service: Service) -> Service:
    return service


class _Plugin:
    def __init__(self, services: dict[str, Service]) -> None:
        self._services = services

    @hookimpl
    def hermes_providers(self) -> dict[str, dict[str, Callable[[], object]]]:
        return {"web_extract": {name: partial(_itself, made) for name, made in self._services.items()}}


@pytest.fixture
def served(agent: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an agent whose pages a service reads, and that service; `tavily` is asked before `direct`."""

    def make(reads: Reads, *, name: str = "mine", **options: Any) -> tuple[Any, Service]:
        service = Service(reads)
        web = {"extract_backend": name, **options.pop("web", {})}
        return agent(plugins=[_Plugin({name: service})], web=web, **options), service

    return make


@pytest.fixture
def page() -> Callable[..., Page]:
    """Makes pages with something in them."""

    def make(url: str, **fields: Any) -> Page:
        return Page(**{"url": url, "content": "Some text.", "title": "A page", **fields})

    return make
