"""Plugins written for Hermes Agent bring their tools and tool hooks; the rest is reported and does no harm."""

from __future__ import annotations

import importlib
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_compat.adapter import UpstreamPlugin, adapt
from hermes_compat.plugin import LEGACY_TOOLSETS
from hermes_core import Hermes, PluginError
from hermes_kit import Kit, check_manifest, load_plugin

SCHEMA = {
    "name": "weather",
    "description": "Say what the weather is like.",
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
}


def weather(args: dict[str, Any], **info: Any) -> str:
    if args.get("place") == "nowhere":
        return json.dumps({"error": "there is no weather"})
    return json.dumps({"place": args.get("place")})


def loaded(register: Callable[[Any], object], **options: Any) -> Kit:
    """A kit with a plugin for Hermes Agent and its weather tool."""

    def with_weather(ctx: Any) -> None:
        ctx.register_tool(name="weather", toolset="weather", schema=SCHEMA, handler=weather)
        register(ctx)

    return load_plugin(adapt(with_weather, "sky"), name="sky", **options)


# -- tools -------------------------------------------------------------------------------------------------------


def test_its_tools_run_through_the_pipeline() -> None:
    with loaded(lambda ctx: None) as kit:
        outcome = kit.call("weather", {"place": 3}).assert_ok()
        assert outcome.value == {"place": "3"}
        assert [(record.name, record.tools) for record in kit.report] == [("sky", ("weather",))]


def test_a_module_with_a_register_function_is_a_plugin() -> None:
    module = SimpleNamespace(
        register=lambda ctx: ctx.register_tool(
            "weather", "weather", SCHEMA, weather, lambda: False, ["SKY_KEY"], False, "Say it.", "⛅"
        )
    )
    adapted = adapt(module, "sky")
    (tool,) = adapted.tools
    assert (tool.name, tool.description, tool.emoji) == ("weather", "Say it.", "⛅")
    with load_plugin(adapted) as kit:
        kit.call("weather").assert_error("unavailable")


def test_something_without_a_register_function_is_no_plugin() -> None:
    with pytest.raises(PluginError, match="no function register"):
        adapt(SimpleNamespace(), "sky")


def test_only_the_hooks_that_it_uses_are_implemented() -> None:
    with loaded(lambda ctx: ctx.register_hook("post_tool_call", lambda **facts: None)) as kit:
        assert kit.hook_order("hermes_pre_tool_call") == []
        assert kit.hook_order("hermes_post_tool_call") == ["sky"]


# -- pre_tool_call -----------------------------------------------------------------------------------------------


def test_a_block_denies_the_call_with_its_message() -> None:
    def guard(tool_name: str, args: dict[str, Any], **others: Any) -> dict[str, str] | None:
        return {"action": "block", "message": f"no {tool_name} in {args['place']}"} if args["place"] == "x" else None

    with loaded(lambda ctx: ctx.register_hook("pre_tool_call", guard)) as kit:
        kit.call("weather", {"place": "x"}).assert_denied(reason="no weather in x", by="sky")
        kit.call("weather", {"place": "y"}).assert_ok()


def test_the_first_block_wins_and_a_block_without_a_message_blocks_too() -> None:
    def register(ctx: Any) -> None:
        ctx.register_hook("pre_tool_call", lambda **facts: {"action": "allow"})
        ctx.register_hook("pre_tool_call", lambda **facts: {"action": "block"})
        ctx.register_hook("pre_tool_call", lambda **facts: {"action": "block", "message": "late"})

    with loaded(register) as kit:
        kit.call("weather").assert_denied(reason="plugin sky blocked it")


def test_a_guard_that_raises_denies() -> None:
    with loaded(lambda ctx: ctx.register_hook("pre_tool_call", lambda **facts: 1 / 0)) as kit:
        kit.call("weather").assert_denied(reason="ZeroDivisionError")


def test_a_guard_gets_a_copy_of_the_arguments() -> None:
    def meddle(args: dict[str, Any]) -> None:
        args["place"] = "elsewhere"

    with loaded(lambda ctx: ctx.register_hook("pre_tool_call", meddle)) as kit:
        assert kit.call("weather", {"place": "here"}).value == {"place": "here"}


def test_an_async_hook_is_refused() -> None:
    async def guard(**facts: Any) -> None: ...

    with pytest.raises(PluginError, match="never awaited"):
        loaded(lambda ctx: ctx.register_hook("pre_tool_call", guard))


# -- post_tool_call and transform_tool_result --------------------------------------------------------------------


def test_an_observer_is_told_everything_about_a_call() -> None:
    seen: list[dict[str, Any]] = []
    with loaded(lambda ctx: ctx.register_hook("post_tool_call", lambda **facts: seen.append(facts))) as kit:
        outcome = kit.call("weather", {"place": "here"}, task_id="t1", id="c1")
        kit.call("weather", {"place": "nowhere"})
    assert isinstance(seen[0].pop("duration_ms"), int)
    assert seen[0] == {
        "tool_name": "weather",
        "args": {"place": "here"},
        "result": outcome.text,
        "task_id": "t1",
        "session_id": outcome.record.call.session_id,
        "tool_call_id": "c1",
        "status": "ok",
        "error_type": None,
        "error_message": None,
    }
    assert (seen[1]["status"], seen[1]["error_message"]) == ("error", "there is no weather")


def test_an_observer_hears_of_blocked_calls() -> None:
    seen: list[tuple[str, str, str]] = []

    def observe(status: str, error_type: str, error_message: str) -> None:
        seen.append((status, error_type, error_message))

    def register(ctx: Any) -> None:
        ctx.register_hook("pre_tool_call", lambda **facts: {"action": "block", "message": "no"})
        ctx.register_hook("post_tool_call", observe)

    with loaded(register) as kit:
        kit.call("weather")
    assert seen[0][:2] == ("blocked", "plugin_block")
    assert "no" in seen[0][2]


def test_an_observer_that_raises_does_not_keep_the_next_from_seeing(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str] = []

    def register(ctx: Any) -> None:
        ctx.register_hook("post_tool_call", lambda **facts: 1 / 0)
        ctx.register_hook("post_tool_call", lambda tool_name: seen.append(tool_name.upper()))

    with loaded(register) as kit:
        kit.call("weather").assert_ok()
    assert seen == ["WEATHER"]
    assert "post_tool_call of plugin sky failed" in caplog.text


def test_the_first_text_replaces_the_result() -> None:
    def register(ctx: Any) -> None:
        ctx.register_hook("transform_tool_result", lambda **facts: {"not": "text"})
        ctx.register_hook("transform_tool_result", lambda **facts: 1 / 0)
        ctx.register_hook("transform_tool_result", lambda result, status: f'["{status}", {result}]')
        ctx.register_hook("transform_tool_result", lambda **facts: "late")

    with loaded(register) as kit:
        assert kit.call("weather", {"place": "here"}).value == ["ok", {"place": "here"}]


# -- what we do not have -----------------------------------------------------------------------------------------


def test_whatever_else_it_registers_is_noted_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    def register(ctx: Any) -> None:
        ctx.register_command("sky", handler=print)
        ctx.register_command("moon", handler=print)
        ctx.register_hook("on_session_start", print)
        assert not ctx.llm.complete("hello")
        ctx.register_tool("moon", "weather", {**SCHEMA, "name": "moon"}, weather, override=True)

    adapted = adapt(register, "sky")
    assert adapted.unsupported == [
        "ctx.register_command is not supported here and was ignored.",
        "the hook on_session_start is not supported here and was ignored.",
        "ctx.llm is not supported here and was ignored.",
        "override=True of register_tool('moon') is not supported here and was ignored.",
    ]
    assert len(caplog.records) == 4
    with load_plugin(adapted) as kit:
        kit.call("moon").assert_ok()


def test_what_is_registered_after_loading_is_noted_and_left_out() -> None:
    kept: list[Any] = []
    adapted = adapt(kept.append, "sky")
    (ctx,) = kept
    ctx.register_tool("weather", "weather", SCHEMA, weather)
    ctx.register_hook("pre_tool_call", print)
    assert adapted.tools == []
    assert len(adapted.unsupported) == 2


# -- finding -----------------------------------------------------------------------------------------------------


class Site:
    """A folder of installed distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, distribution: str, source: str, *, object: str = "") -> None:
        module = f"upstream_{distribution}"
        (self.folder / f"{module}.py").write_text(textwrap.dedent(source))
        info = self.folder / f"{distribution}-2.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.0\n")
        (info / "entry_points.txt").write_text(f"[hermes_agent.plugins]\n{distribution} = {module}{object}\n")
        importlib.invalidate_caches()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield Site(folder)
    for name in [name for name in sys.modules if name.startswith("upstream_")]:
        del sys.modules[name]


SKY = f"""
    def register(ctx):
        ctx.register_tool("weather", "weather", {SCHEMA!r}, lambda args, **info: '"sunny"')
"""


@pytest.fixture
def load(home: Path) -> Iterator[Callable[[], Hermes]]:
    """Loads hosts of a user who wants plugins of Hermes Agent."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text("plugins: {upstream: true}\n")
    with ExitStack() as made:
        yield lambda: made.enter_context(closing(Hermes.load(only_looking=True)))


@pytest.mark.parametrize("object", ["", ":register"])
def test_a_found_plugin_loads_as_a_module_or_as_a_function(site: Site, load: Callable[[], Hermes], object: str) -> None:
    site.install("sky", SKY, object=object)
    hermes = load()
    record = hermes.report.get("sky")
    assert record is not None
    assert (record.status, record.distribution, record.version) == ("loaded", "sky", "2.0")
    assert record.origin == "adapted entry point"
    assert hermes.call("weather") == '"sunny"'


def test_a_broken_plugin_disables_only_itself(site: Site, load: Callable[[], Hermes]) -> None:
    site.install("sky", SKY)
    site.install("broken", "1 / 0")
    report = load().report
    assert [record.status for name in ("broken", "sky") if (record := report.get(name))] == ["failed", "loaded"]


def test_a_broken_plugin_that_names_a_policy_hook_denies_every_call(site: Site, load: Callable[[], Hermes]) -> None:
    site.install("sky", SKY)
    site.install("broken", "def register(ctx): ctx.register_hook('pre_tool_call', print)\n1 / 0")
    assert "holds a policy" in load().call("weather")


def test_a_damaged_distribution_hides_nothing_but_itself(site: Site, load: Callable[[], Hermes]) -> None:
    site.install("sky", SKY)
    site.install("damaged", SKY)
    (site.folder / "damaged-2.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[")
    report = load().report
    assert report.get("sky") is not None
    assert report.get("damaged") is None


def test_a_directory_with_a_plugin_file_is_loaded(home: Path, load: Callable[[], Hermes]) -> None:
    folder = home / "plugins" / "sky"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("name: sky\n")
    (folder / "__init__.py").write_text("from .tools import register\n")
    (folder / "tools.py").write_text(textwrap.dedent(SKY))
    assert load().call("weather") == '"sunny"'


@pytest.mark.parametrize("name", sorted(LEGACY_TOOLSETS))
def test_toolset_names_of_old_configurations_work(name: str, load: Callable[[], Hermes]) -> None:
    hermes = load()
    assert hermes.toolsets.resolve([name], hermes.registry.snapshot) == set(LEGACY_TOOLSETS[name])


def test_the_manifest_is_fresh() -> None:
    assert check_manifest("hermes_compat.plugin", "compat") == []


def test_an_adapted_plugin_has_a_name() -> None:
    assert UpstreamPlugin("sky").name == "sky"


def test_installed_ones_are_loaded_when_the_user_wants_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    info = site / "wind_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wind-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hermes_agent.plugins]\nwind = wind_plugin_for_a_test\n")
    (site / "wind_plugin_for_a_test.py").write_text(
        "def register(ctx):\n"
        "    schema = {'name': 'wind'}\n"
        "    ctx.register_tool(name='wind', toolset='weather', schema=schema, handler=lambda args, **kw: '12')\n"
        "    ctx.register_command('wind', handler=print)\n"
    )
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    with Hermes.load() as hermes:
        assert "wind" not in hermes.registry
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text("plugins: {upstream: true}\n")
    with Hermes.load() as hermes:
        assert hermes.call("wind") == "12"
        record = hermes.report.get("wind")
        assert record is not None
        assert (record.status, record.tools) == ("loaded", ("wind",))
        assert "register_command" in record.notes[0]
