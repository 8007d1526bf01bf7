"""A plugin that holds a policy and cannot be used denies every call, on every path, until the user disables it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hermes_core import Hermes, PluginError, ToolContext, tool
from hermes_core.plugins import plugin_sources
from hermes_core.plugins.api_version import POLICY_HOOKS
from hermes_files import installed_packages
from hermes_files.regular_files import read_regular_file

if TYPE_CHECKING:
    from plugins.conftest import Shop

BREAKS = {
    "raises": "raise ValueError('no luck')",
    "exits": "import sys; sys.exit(3)",
    "a module is missing": "import no_such_module_at_all",
    "a syntax error": "def broken(:",
    "registers nonsense": "from hermes_core import hookimpl\n@hookimpl\ndef hermes_tools(): return 5",
    "a misspelt hook": "from hermes_core import hookimpl\n@hookimpl\ndef hermes_pre_tool_cal(call): ...",
    "the hook is gone": "from hermes_core import hookimpl\n@hookimpl\ndef hermes_post_tool_call(record): ...",
    "no hook at all": "",
    "another version of the API": "hermes_api = '>=7'",
    "ends the process": "import os\nos._exit(0)",
}


def policy(hook: str = "hermes_pre_tool_call") -> str:
    argument = "request" if hook == "hermes_request_approval" else "call"
    return f"from hermes_core import hookimpl\n\n@hookimpl\ndef {hook}({argument}):\n    return None\n"


def answer(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def is_denied(text: str) -> bool:
    said = answer(text) if text.startswith("{") else {}
    return said.get("decision") == "denied-by-policy" and "'house' holds a policy and cannot" in said["error"]


@pytest.fixture
def house(shop: Shop, coin: str) -> Callable[[str], None]:
    """A plugin `house` that holds a policy by its manifest, and is then broken; the tool `toss` is another's."""
    shop.install("coin", coin)
    shop.install("house", policy())
    return lambda source: shop.rewrite("house", source)


@pytest.mark.parametrize("only_looking", [False, True], ids=["loaded", "only looked at"])
@pytest.mark.parametrize("way", BREAKS)
def test_however_it_breaks_every_call_is_denied(
    shop: Shop, house: Callable[[str], None], way: str, only_looking: bool
) -> None:
    house(BREAKS[way])
    if way == "another version of the API":
        shop_manifest = shop.folder / "shop_house" / "hermes-plugin.json"
        shop_manifest.write_text(shop_manifest.read_text().replace(">=1.0,<2", ">=7"))
    hermes = shop.load(only_looking=only_looking)
    assert is_denied(hermes.call("toss"))
    assert "plugins.disabled" in answer(hermes.call("toss"))["error"]
    record = shop.record(hermes, "house")
    assert record.denies
    assert record.status in ("failed", "partial")
    assert "plugins.disabled" in record.remedy
    assert "HERMES_PLUGINS" in record.remedy
    assert [spec.name for spec in hermes.tools()] == ["toss"]
    assert hermes.why("toss").available
    assert len(hermes.definitions()) == 1


@pytest.mark.parametrize("hook", POLICY_HOOKS)
def test_each_hook_that_can_keep_a_call_from_running_counts(shop: Shop, coin: str, hook: str) -> None:
    shop.install("coin", coin)
    shop.install("house", policy(hook))
    assert shop.load().call("toss") == '"heads"'
    shop.rewrite("house", "1 / 0")
    assert is_denied(shop.load().call("toss"))


def test_a_plugin_that_only_watches_disables_only_itself(shop: Shop, coin: str) -> None:
    shop.install("coin", coin)
    shop.install("house", "from hermes_core import hookimpl\n\n@hookimpl\ndef hermes_post_tool_call(record): ...\n")
    shop.rewrite("house", "1 / 0")
    hermes = shop.load()
    assert hermes.call("toss") == '"heads"'
    assert not shop.record(hermes, "house").denies


@pytest.mark.parametrize("how", ["plugins.disabled", "HERMES_PLUGINS"])
def test_the_user_can_disable_it(
    shop: Shop, house: Callable[[str], None], home: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    house("1 / 0")
    if how == "HERMES_PLUGINS":
        monkeypatch.setenv("HERMES_PLUGINS", "coin")
    else:
        home.mkdir(parents=True)
        (home / "config.yaml").write_text("plugins: {disabled: [house]}")
    assert shop.load().call("toss") == '"heads"'


# Every path


def test_every_path_is_closed(shop: Shop, house: Callable[[str], None]) -> None:
    ran: list[str] = []

    @tool(toolset="mine")
    def outer(ctx: ToolContext) -> str:
        """Call another tool."""
        ran.append("outer")
        return ctx.call_tool("inner")

    @tool(toolset="mine")
    def inner() -> str:
        """Answer."""
        ran.append("inner")
        return "ran"

    @tool(toolset="mine", forward=lambda args, ctx: ("inner", {}))
    def relay() -> str:
        """Forward the call."""
        return "ran"

    house("1 / 0")
    hermes = shop.load(tools=[outer, inner, relay])
    with hermes.session(kind="cron") as session:
        answers = [
            hermes.call("inner"),
            hermes.call("outer"),
            hermes.call("relay"),
            *hermes.batch([("inner", {}), ("toss", {}), ("relay", {})]),
            asyncio.run(hermes.acall("inner")),
            *asyncio.run(hermes.abatch([("inner", {}), ("toss", {})])),
            session.call("inner"),
            hermes.run("inner").result,
        ]
    assert all(map(is_denied, answers))
    below = Hermes(tools=[inner], parent=hermes)
    assert is_denied(below.call("inner"))
    below.close()
    seen = hermes.rehearse("inner")
    assert seen.decision is not None
    assert seen.decision.outcome == "denied-by-policy"
    assert ran == []


def test_a_required_plugin_that_fails_at_its_first_call_denies_every_later_call(
    shop: Shop, home: Path, dice: str, coin: str
) -> None:
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("plugins: {required: [dice]}")
    shop.install("coin", coin)
    shop.install("dice", dice)
    shop.rewrite("dice", "1 / 0")
    hermes = shop.load()
    assert hermes.call("toss") == '"heads"'
    assert answer(hermes.call("roll"))["code"] == "unavailable"
    said = answer(hermes.call("toss"))
    assert said["decision"] == "denied-by-policy"
    assert "'dice' is required and cannot be used" in said["error"]


def test_the_command_line_denies_and_still_shows_everything(shop: Shop, house: Callable[[str], None]) -> None:
    house("1 / 0")

    def hermes(*words: str) -> subprocess.CompletedProcess[str]:
        path = f"import sys; sys.path.insert(0, {str(shop.folder)!r})"
        program = f"{path}; from hermes_core.cli.main import main; sys.exit(main())"
        command = [sys.executable, "-c", program, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    denied = hermes("call", "toss")
    assert (denied.returncode, is_denied(denied.stdout)) == (4, True), denied.stderr
    assert "toss" in hermes("tools").stdout
    assert hermes("why", "toss").returncode == 0
    assert hermes("config", "show").returncode == 0
    assert "house" in hermes("plugins").stdout
    doctor = hermes("doctor")
    assert "Every call is denied" in doctor.stdout
    assert "plugins.disabled" in doctor.stdout


# Without a manifest


@pytest.mark.parametrize("place", ["home", "project", "one run"])
@pytest.mark.parametrize(("source", "closed"), [(policy(), True), ("x = 1\n", False)], ids=["a policy", "none"])
def test_a_file_whose_text_names_a_policy_hook_holds_a_policy(
    shop: Shop, home: Path, coin: str, monkeypatch: pytest.MonkeyPatch, place: str, source: str, closed: bool
) -> None:
    shop.install("coin", coin)
    text = f"import no_such_module_at_all\n{source}"
    folder = home / "plugins" if place == "home" else Path.cwd() / ".hermes" / "plugins"
    folder.mkdir(parents=True)
    (folder / "house.py").write_text(text)
    if place == "project":
        from hermes_core.plugins.trust import Trust

        Trust(home).add(str(folder), {"house.py": text.encode()})
    elif place == "one run":
        monkeypatch.setenv("HERMES_PLUGINS", f"coin,{folder / 'house.py'}")
    assert is_denied(shop.load().call("toss")) is closed


def test_a_package_without_a_manifest_is_searched_as_a_whole(shop: Shop, coin: str) -> None:
    shop.install("coin", coin)
    shop.install("house", "from .rules import *\n", manifest=False)
    (shop.folder / "shop_house" / "rules.py").write_text(policy() + "1 / 0\n")
    assert is_denied(shop.load().call("toss"))


def test_an_untrusted_file_denies_nothing(shop: Shop, coin: str) -> None:
    shop.install("coin", coin)
    folder = Path.cwd() / ".hermes" / "plugins"
    folder.mkdir(parents=True)
    (folder / "house.py").write_text(policy() + "1 / 0\n")
    assert shop.load().call("toss") == '"heads"'


def test_a_plugin_of_the_application_raises_at_once(shop: Shop, coin: str) -> None:
    class Broken:
        def hermes_pre_tool_call(self, call: object) -> None:
            """Lack the mark."""

    shop.install("coin", coin)
    hermes = shop.load()
    with pytest.raises(PluginError, match="is not marked"):
        hermes.add_plugin(Broken(), name="house")
    assert hermes.call("toss") == '"heads"'


def test_what_a_policy_plugin_loses_of_its_hooks_denies_although_the_rest_works(shop: Shop, coin: str) -> None:
    both = policy() + policy("hermes_assess_call").partition("\n")[2]
    shop.install("coin", coin)
    shop.install("house", textwrap.dedent(both))
    shop.rewrite("house", policy())
    hermes = shop.load()
    assert "its manifest names hermes_assess_call" in answer(hermes.call("toss"))["error"]
    assert shop.record(hermes, "house").status == "partial"


# Refused before it is imported


def write_plugin(file: Path, source: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)


RESERVED_NAMES = ["guard", "home", "agent", "audit", "compat", "application"]


@pytest.mark.parametrize("name", RESERVED_NAMES)
@pytest.mark.parametrize(("source", "closed"), [(policy(), True), ("x = 1\n", False)], ids=["a policy", "none"])
def test_a_file_with_a_reserved_name_holds_its_policy_until_it_is_renamed_or_disabled(
    shop: Shop, home: Path, coin: str, name: str, source: str, closed: bool
) -> None:
    shop.install("coin", coin)
    write_plugin(home / "plugins" / f"{name}.py", source)
    hermes = shop.load()
    said = hermes.call("toss")
    assert (said != '"heads"') is closed
    if closed:
        assert f"the plugin {name!r} holds a policy and cannot be used" in answer(said)["error"]
        assert shop.record(hermes, name).denies
        (home / "config.yaml").write_text(f"plugins: {{disabled: [{name}]}}")
        assert shop.load().call("toss") == '"heads"'


@pytest.mark.parametrize("manifest", [True, False])
def test_a_distribution_that_claims_one_of_our_names_holds_its_policy(shop: Shop, coin: str, manifest: bool) -> None:
    shop.install("coin", coin)
    shop.install("search", policy(), manifest=manifest)
    assert "the plugin 'search' holds a policy and cannot be used" in shop.load().call("toss")


@pytest.mark.parametrize("kind", ["a directory", "an entry point"])
@pytest.mark.parametrize("hook", ["pre_tool_call", "post_tool_call"])
def test_a_policy_of_another_program_needs_its_adapter(shop: Shop, home: Path, coin: str, kind: str, hook: str) -> None:
    shop.install("coin", coin)
    source = f"def register(ctx):\n    ctx.register_hook({hook!r}, lambda **_: None)\n"
    if kind == "a directory":
        write_plugin(home / "plugins" / "guardian" / "__init__.py", source)
        write_plugin(home / "plugins" / "guardian" / "plugin.yaml", "name: guardian\n")
    else:
        write_plugin(home / "config.yaml", "plugins: {upstream: true}\n")
        write_plugin(shop.folder / "shop_guardian" / "__init__.py", source)
        info = shop.folder / "guardian-1.0.dist-info"
        write_plugin(info / "METADATA", "Metadata-Version: 2.1\nName: guardian\nVersion: 1.0\n")
        write_plugin(info / "entry_points.txt", "[hermes_agent.plugins]\nguardian = shop_guardian\n")
    hermes = shop.load()
    record = shop.record(hermes, "guardian")
    assert record.status == "failed"
    assert "hermes-compat" in record.remedy
    if hook == "post_tool_call":
        assert hermes.call("toss") == '"heads"'
        return
    assert "'guardian' holds a policy and cannot be used" in answer(hermes.call("toss"))["error"]
    (home / "config.yaml").write_text("plugins: {upstream: true, disabled: [guardian]}\n")
    assert shop.load().call("toss") == '"heads"'


@pytest.mark.parametrize("what", ["the file", "the folder"])
def test_what_the_user_wrote_and_cannot_be_read_holds_a_policy(
    shop: Shop, home: Path, coin: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    shop.install("coin", coin)
    write_plugin(home / "plugins" / "house.py", policy())
    unreadable = str(home / "plugins" / "house.py" if what == "the file" else home / "plugins")

    def refuse(real: Callable[..., Any]) -> Callable[..., Any]:
        def read(path: Any, *rest: Any, **options: Any) -> Any:
            if path == unreadable:
                raise PermissionError(13, "Permission denied")
            return real(path, *rest, **options)

        return read

    monkeypatch.setattr(os, "listdir", refuse(os.listdir))
    for module in (plugin_sources, installed_packages):
        monkeypatch.setattr(module, "read_regular_file", refuse(read_regular_file))
    assert answer(shop.load().call("toss"))["decision"] == "denied-by-policy"
