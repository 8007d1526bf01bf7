"""Every command checks the whole configuration file, also sections that it does not read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

PLUGIN = """
from hermes_core import Tool, hookimpl

@hookimpl
def hermes_settings():
    properties = {"size": {"type": "integer"}, "colour": {"enum": ["red", "off"]}, "key": {"type": "string"}}
    return {"shed": {"type": "object", "properties": properties, "required": ["key"]}}

@hookimpl
def hermes_tools():
    return [Tool.from_schema({"name": "peek", "description": "Look inside."}, lambda args, **_: "{}", toolset="shed")]
"""

COMMANDS = (
    ("tools",),
    ("toolsets",),
    ("plugins",),
    ("describe", "peek"),
    ("why", "peek"),
    ("search", "look"),
    ("call", "peek"),
    ("hooks",),
    ("policy", "explain", "peek"),
)


@pytest.fixture
def shed(home: Path) -> Path:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "shed.py").write_text(PLUGIN, encoding="utf-8")
    return home


def write(home: Path, text: str) -> None:
    (home / "config.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("securty: {allow_private_urls: false}", "security"),
        ("aprovals: {mode: manual}", "approvals"),
        ("approvals: {mod: manual}", "mode"),
        ("plugins: {requird: []}", "required"),
        ("plugin: {disabled: []}", "plugins"),
        ("shde: {size: 3}", "shed"),
        ("shed: {key: a, sze: 3}", "size"),
        ("audit: {enabld: true}", "enabled"),
        ("terminl: {timeout: 3}", "terminal"),
    ],
)
def test_a_misspelled_name_is_warned_of_once(bare: Run, shed: Path, words: list[str], text: str, meant: str) -> None:
    write(shed, f"{text}\n")
    outcome = bare(*words)
    assert outcome.returncode == 0
    warnings = [line for line in outcome.stderr.splitlines() if line.startswith("hermes: warning:")]
    assert [f"Did you mean '{meant}'?" in line for line in warnings] == [True], outcome.stderr
    assert "config.yaml:1: " in warnings[0]


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("plugins: 5", "plugins"),
        ("plugins: {disabled: yes}", "plugins.disabled"),
        ("approvals: [manual]", "approvals"),
        ("approvals: {mode: no}", "approvals.mode"),
        ("approvals: {mode: false}", "approvals.mode"),
        ("approvals: {mode: on}", "approvals.mode"),
        ("approvals: {timeout: soon}", "approvals.timeout"),
        ("shed: [1]", "shed"),
        ("shed: {size: large}", "shed.size"),
        ("shed: {colour: no}", "shed.colour"),
        ("audit: {keep: many}", "audit.keep"),
        ("calls: {timeout: soon}", "calls.timeout"),
        ("tools: 3", "tools"),
    ],
)
def test_a_wrong_type_is_an_error_everywhere(bare: Run, shed: Path, words: list[str], text: str, key: str) -> None:
    write(shed, f"{text}\n")
    outcome = bare(*words)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith(f"hermes: error: {shed / 'config.yaml'}:1: {key}: ")


def test_a_variable_is_checked_as_well(bare: Run, shed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del shed
    monkeypatch.setenv("HERMES_SHDE__SIZE", "3")
    outcome = bare("tools")
    assert (outcome.returncode, "Did you mean 'shed'?" in outcome.stderr) == (0, True)
    monkeypatch.setenv("HERMES_SHED__SIZE", "large")
    assert bare("tools").returncode == 2


def test_a_value_that_only_the_plugin_needs_and_a_section_of_another_plugin_are_no_problem(
    bare: Run, shed: Path
) -> None:
    write(shed, "shed: {size: 3}\nzeppelin: {gas: helium}\nbrowser: {x: 1}\n")
    outcome = bare("tools")
    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.parametrize(("text", "mode"), [("off", "off"), ("OFF", "off"), ("'off'", "off"), ("smart", "smart")])
def test_a_bare_off_is_the_word_and_not_a_boolean(bare: Run, shed: Path, text: str, mode: str) -> None:
    write(shed, f"approvals: {{mode: {text}, smart_model: m}}\nshed: {{key: a, colour: off}}\n")
    assert bare("config", "get", "approvals.mode").stdout == f"{mode}\n"
    assert bare("config", "get", "shed.colour").stdout == "off\n"
    assert bare("config", "check").returncode == 0


def test_a_refused_mode_is_explained(bare: Run, shed: Path) -> None:
    write(shed, "approvals:\n  mode: no\n")
    error = bare("tools").stderr
    assert "config.yaml:2: approvals.mode: " in error
    assert '"manual", "smart", "off"' in error


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("plugins:\n  disabled: [dice\nmore: 1\n", "3:5"),
        ("a: b: c\n", "1:5"),
        ("a: 1\n\tb: 2\n", "2:1"),
        ("a: &x *x\n", "1:7"),
    ],
)
def test_a_yaml_error_names_line_and_column(bare: Run, shed: Path, text: str, place: str) -> None:
    write(shed, text)
    for words in (("tools",), ("config", "check"), ("config", "get", "plugins")):
        outcome = bare(*words)
        assert outcome.returncode == 2
        assert f"config.yaml:{place}: " in outcome.stdout + outcome.stderr


@pytest.mark.parametrize("text", ["3", "git status", "{git: true}"])
def test_an_allowlist_that_is_no_list_is_refused_where_it_is_read(home: Path, bare: Run, text: str) -> None:
    home.mkdir(exist_ok=True)
    write(home, f"command_allowlist: {text}")
    done = bare("call", "peek")
    assert done.returncode == 2
    assert "config.yaml:1: command_allowlist: must be a list of commands." in done.stderr
