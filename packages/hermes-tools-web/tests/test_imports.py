"""The plugin costs nothing before it is used: what is heavy is imported by the call that needs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    *("httpx", "httpx2", "httpcore", "httpcore2", "trafilatura", "lxml", "pypdf", "openai", "ddgs", "numpy", "h11"),
    *("courlan", "htmldate", "justext", "protego", "selectolax", "sqlite3"),
)

HOOKS = """
import hermes_tools_web.plugin
tools = hermes_tools_web.plugin.hermes_tools()
assert {tool.name for tool in tools} == {"web_search", "web_extract", "web_crawl"}
hermes_tools_web.plugin.hermes_settings()
hermes_tools_web.plugin.hermes_providers()
"""
HOST = """
import hermes_tools_web.plugin
from hermes_core import Hermes
with Hermes(plugins=[hermes_tools_web.plugin], config={}) as hermes:
    names = {tool["function"]["name"] for tool in hermes.definitions()}
    assert {"web_search", "web_extract"} <= names, names
"""
PROVIDERS = """
from hermes_tools_web.providers.selection import provider_factories
made = {name: make() for point in provider_factories().values() for name, make in point.items()}
assert "direct" in made
"""
COMMANDS = """
import hermes_tools_web.plugin
assert [command.name for command in hermes_tools_web.plugin.hermes_commands()] == ["web"]
"""
ROOMS = "import hermes_tools_web.fetcher.fetch, hermes_tools_web.providers.direct, hermes_tools_web.cache.web_cache"


PROGRAMS = {"hooks": HOOKS, "host": HOST, "providers": PROVIDERS, "commands": COMMANDS, "rooms": ROOMS}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_heavy_is_imported_before_a_tool_is_called(program: str) -> None:
    told = "\nimport json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", program + told], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    imported = set(json.loads(done.stdout.splitlines()[-1]))
    assert "hermes_tools_web" in imported
    assert imported.isdisjoint(HEAVY), imported.intersection(HEAVY)
