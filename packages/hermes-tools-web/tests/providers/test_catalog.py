"""The providers of the family: who they are, and what knowing them costs."""

from __future__ import annotations

import subprocess
import sys

from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Setup
from hermes_tools_web.providers.selection import KEYLESS, ORDER, provider_factories
from hermes_tools_web.settings import WebSettings

HEAVY = ("httpx2", "trafilatura", "lxml", "ddgs", "primp", "pypdf", "protego", "sqlite3")
PROGRAM = f"""
import sys
import hermes_tools_web.plugin
from hermes_tools_web.providers.selection import provider_factories
from hermes_tools_web.tools.web_search import web_search
made = [make() for names in provider_factories().values() for make in names.values()]
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""


def test_every_name_makes_a_provider_that_does_what_it_is_listed_for() -> None:
    for point, method in ((SEARCH, "search"), (EXTRACT, "extract")):
        for name, make in provider_factories()[point].items():
            provider = make()
            assert callable(getattr(provider, method)), name
            assert isinstance(provider.setup, Setup), name  # type: ignore[attr-defined]


def test_the_family_brings_those_that_it_promises() -> None:
    assert set(provider_factories()[SEARCH]) == {"brave", "ddgs", "exa", "firecrawl", "parallel", "searxng", "tavily"}
    assert set(provider_factories()[EXTRACT]) == {"direct", "exa", "firecrawl", "parallel", "tavily"}
    assert set(ORDER) | set(KEYLESS) == set(provider_factories()[SEARCH]) | set(provider_factories()[EXTRACT])


def test_what_a_provider_needs_is_a_setting_with_that_variable() -> None:
    properties = WebSettings.model_json_schema()["properties"]
    for names in provider_factories().values():
        for make in names.values():
            setup: Setup = make().setup  # type: ignore[attr-defined]
            for setting, variable in zip(setup.settings, setup.variables, strict=True):
                assert properties[setting.removeprefix("web.")]["x-env"] == variable


def test_making_all_of_them_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
