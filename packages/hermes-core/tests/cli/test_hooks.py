"""`hermes hooks` says who is called, in which order, and what each hook is for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from hermes_core import hookimpl, hookspecs
from hermes_core.cli.hooks import implementations
from hermes_core.plugins.manager import HOOKS, Plugins
from hermes_core.plugins.plugin_records import LoadReport, PluginRecord

Run = Callable[..., CompletedProcess[str]]

EARLY = """
from hermes_core import hookimpl

@hookimpl
def hermes_tools():
    return []

@hookimpl(trylast=True)
def hermes_pre_tool_call(call, ctx):
    return None
"""
LATE = """
from hermes_core import hookimpl

class Policy:
    @hookimpl(tryfirst=True)
    def hermes_pre_tool_call(self, ctx):
        return None

    @hookimpl
    def hermes_tools(self):
        return []

policy = Policy()
"""


@pytest.fixture
def three(hermes: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command among three plugins that implement the same hooks, and one that is broken."""
    for name, module, source in (
        ("aaa", "hermes_hooks_test_early", EARLY),
        ("zzz", "hermes_hooks_test_late:policy", LATE),
    ):
        file = module.partition(":")[0]
        (tmp_path / f"{file}.py").write_text(source, encoding="utf-8")
        info = tmp_path / f"{name}_pack-3.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-pack\nVersion: 3.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{name} = {module}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return hermes


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()[1:]]


def test_the_table_lists_plugins_in_the_order_of_the_calls(three: Run) -> None:
    outcome = three("hooks")
    assert outcome.returncode == 0
    assert [row for row in rows(outcome.stdout) if row[0] == "hermes_pre_tool_call"] == [
        ["hermes_pre_tool_call", "zzz", "zzz-pack", "3.0", "tryfirst"],
        ["hermes_pre_tool_call", "dice", "hermes-tools-dice", "1.2"],
        ["hermes_pre_tool_call", "aaa", "aaa-pack", "3.0", "trylast"],
    ]


def test_what_is_registered_is_listed_in_the_order_of_the_loading(three: Run) -> None:
    outcome = three("hooks")
    assert [row[1] for row in rows(outcome.stdout) if row[0] == "hermes_tools"] == ["aaa", "dice", "zzz"]


def test_hooks_that_nobody_implements_are_listed_on_demand(hermes: Run) -> None:
    assert "hermes_session_end" not in hermes("hooks").stdout
    listed = rows(hermes("hooks", "--all").stdout)
    assert ["hermes_session_end", "-"] in listed
    assert list(dict.fromkeys(row[0] for row in listed)) == list(HOOKS)


def test_json_carries_the_same_facts(three: Run) -> None:
    hooks = {hook["name"]: hook["implementations"] for hook in json.loads(three("hooks", "--json").stdout)["hooks"]}
    assert set(hooks) == {"hermes_tools", "hermes_pre_tool_call"}
    assert hooks["hermes_pre_tool_call"][0] == {
        "plugin": "zzz",
        "distribution": "zzz-pack",
        "version": "3.0",
        "imported": True,
        "marked": "tryfirst",
        "function": "hermes_hooks_test_late:Policy.hermes_pre_tool_call",
        "arguments": ["ctx"],
    }
    everything = json.loads(three("hooks", "--json", "--all").stdout)["hooks"]
    assert {"name": "hermes_session_end", "implementations": []} in everything


def test_one_hook_is_shown_with_its_documentation_and_its_implementations(three: Run) -> None:
    outcome = three("hooks", "hermes_pre_tool_call")
    assert outcome.returncode == 0
    lines = outcome.stdout.splitlines()
    assert lines[0] == "hermes_pre_tool_call(call: ToolCall, ctx: ToolContext)"
    assert lines[1] == "Apply policy to a call before it runs."
    facts = {line.split()[0]: line.partition("  ")[2].strip() for line in lines[3:8]}
    assert list(facts) == ["When", "Args", "Returns", "Errors", "Since"]
    assert facts["When"].startswith("after the arguments were repaired")
    assert facts["When"].endswith("after this one has answered.")
    assert facts["Since"] == "1.0"
    table = rows("\n".join(lines[9:]))
    assert [row[0] for row in table] == ["1", "2", "3"]
    assert table[1][-2:] == ["hermes_cli_test_dice:hermes_pre_tool_call", "call"]
    assert table[2][-3:] == ["hermes_hooks_test_early:hermes_pre_tool_call", "call,", "ctx"]


def test_the_prefix_may_be_left_out(hermes: Run) -> None:
    assert hermes("hooks", "tools").stdout == hermes("hooks", "hermes_tools").stdout != ""


def test_one_hook_as_json_tells_every_part_of_its_documentation(hermes: Run) -> None:
    hook = json.loads(hermes("hooks", "adjust_definitions", "--json").stdout)
    assert hook["name"] == "hermes_adjust_definitions"
    assert hook["arguments"] == {
        "definitions": "Sequence[dict[str, Any]]",
        "available": "frozenset[str]",
        "context_length": "int | None",
        "format": "str",
        "everything": "bool",
        "ctx": "ToolContext",
    }
    assert hook["implementations"] == []
    for part in ("what", "when", "args", "returns", "errors", "since"):
        assert hook[part]


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_can_be_shown(bare: Run, hook: str) -> None:
    outcome = bare("hooks", hook)
    assert outcome.returncode == 0
    assert (getattr(hookspecs, hook).__doc__ or "").splitlines()[0] in outcome.stdout
    assert "No installed plugin implements it." in outcome.stdout


@pytest.mark.parametrize("name", ["pre_tool_cal", "hermes_pre_tool_cal"])
def test_an_unknown_hook_is_answered_with_near_names(bare: Run, name: str) -> None:
    outcome = bare("hooks", name)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"hermes: error: There is no hook {name!r}. Did you mean 'hermes_pre_tool_call'")
    assert "'hermes hooks --help'" in outcome.stderr


def test_a_hook_that_is_like_no_other_is_answered_with_the_way_to_the_list(bare: Run) -> None:
    outcome = bare("hooks", "qqq")
    assert outcome.returncode == 2
    assert "--all" in outcome.stderr


def test_without_plugins_it_says_how_to_see_the_hooks(bare: Run) -> None:
    outcome = bare("hooks")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert "'hermes hooks --all'" in outcome.stderr
    assert json.loads(bare("hooks", "--json").stdout) == {"hooks": []}


def test_names_stay_whole_on_a_narrow_line(three: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = three("hooks", "pre_tool_call").stdout.splitlines()
    assert any(line.startswith("2  dice") and "hermes_cli_test_dice:hermes_pre_tool_call" in line for line in lines)
    assert all(len(line) <= 60 for line in lines[1:8])


def test_a_plugin_that_is_known_by_its_manifest_is_listed_without_being_imported(
    hermes: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, info = tmp_path / "hermes_hooks_test_quiet", tmp_path / "quiet_pack-1.0.dist-info"
    for folder in (package, info):
        folder.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('it was imported')\n", encoding="utf-8")
    manifest = {"manifest": 1, "plugin": "quiet", "api": ">=1.0,<2", "hooks": ["hermes_toolsets"]}
    (package / "hermes-plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quiet-pack\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\nquiet = {package.name}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    outcome = hermes("hooks")
    assert "it was imported" not in outcome.stderr
    assert ["hermes_toolsets", "quiet", "quiet-pack", "1.0", "not", "imported", "yet"] in rows(outcome.stdout)


def test_a_plugin_that_is_not_imported_yet_is_listed_where_it_was_loaded() -> None:
    class First:
        @hookimpl
        def hermes_tools(self) -> list[object]:
            return []

    class Third(First):
        pass

    plugins = Plugins()
    plugins.accept(First(), "first")
    plugins.accept(Third(), "third")
    report = LoadReport(
        (
            PluginRecord(name="first", origin="application", hooks=("hermes_tools",)),
            PluginRecord(name="second", origin="entry point", distribution="d", version="2", hooks=("hermes_tools",)),
            PluginRecord(name="third", origin="application", hooks=("hermes_tools",)),
            PluginRecord(name="other", origin="entry point", hooks=("hermes_toolsets",)),
            PluginRecord(name="second", origin="entry point", distribution="other", status="failed"),
            PluginRecord(name="off", origin="entry point", hooks=("hermes_tools",), status="disabled"),
        )
    )
    shown = implementations("hermes_tools", plugins, report)
    assert [(row["plugin"], row["imported"]) for row in shown] == [("first", True), ("second", False), ("third", True)]
    assert (shown[1]["distribution"], shown[1]["version"], shown[1]["function"]) == ("d", "2", None)


def test_the_old_ways_to_ask_still_work(hermes: Run) -> None:
    assert hermes("hooks", "--debug", "pre_tool_call").stdout == hermes("hooks", "show", "pre_tool_call").stdout != ""
    assert hermes("hooks", "--json", "--all").stdout == hermes("hooks", "show", "--all", "--json").stdout != ""
