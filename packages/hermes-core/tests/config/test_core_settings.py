"""A broken `config.yaml` is refused with its place and the remedy; it is never taken as empty, and never changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from hermes_core import ConfigError, Hermes, Tool, UnknownToolsetError
from hermes_core.config.config import Config
from hermes_core.config.core_settings import Settings


@pytest.fixture
def file(home: Path) -> Path:
    home.mkdir()
    return home / "config.yaml"


def load_settings(file: Path) -> Settings:
    return Config(file.parent, environ={}).settings()


def make(name: str, toolset: str = "web") -> Tool:
    return Tool.from_schema({"name": name}, lambda args, **info: "{}", toolset=toolset)


def refused(file: Path, content: str | bytes) -> ConfigError:
    """The settings, and a whole host, refuse the file and leave it as it is."""
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load_settings(file)
    with pytest.raises(ConfigError) as whole:
        Hermes.load(discover=False)
    assert str(whole.value) == str(caught.value)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == data
    assert [entry.name for entry in file.parent.iterdir()] == ["config.yaml"]
    return caught.value


# Good files


def test_no_file_means_the_defaults(home: Path) -> None:
    assert load_settings(home / "config.yaml") == Settings()
    assert not home.exists()


@pytest.mark.parametrize("content", ["", "# nothing\n", "---\n", "plugins:\ncalls:\n", "other: {x: 1}\n"])
def test_an_empty_file_means_the_defaults(content: str, file: Path) -> None:
    file.write_text(content)
    assert load_settings(file) == Settings()


def test_every_setting_is_read(file: Path) -> None:
    file.write_text(
        """
plugins:
  enabled: [dice, web]
  disabled: [dice]
toolsets:
  mine: {description: Mine., tools: [a], includes: [web], aliases: [my]}
  short: [a, b]
toolset_distributions:
  mix: {web: 80}
calls: {timeout: 60, hook_timeout: 2.5, approval_timeout: 9}
results: {reader_tool: cat}
"""
    )
    assert load_settings(file) == Settings(
        plugins_enabled=("dice", "web"),
        plugins_disabled=("dice",),
        toolsets={
            "mine": {"description": "Mine.", "tools": ["a"], "includes": ["web"], "aliases": ["my"]},
            "short": {"tools": ["a", "b"]},
        },
        toolset_distributions={"mix": {"web": 80}},
        timeout=60,
        hook_timeout=2.5,
        approval_timeout=9,
        reader_tool="cat",
    )


def test_a_byte_order_mark_is_no_problem(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfplugins: {disabled: [dice]}\n")
    assert load_settings(file).plugins_disabled == ("dice",)


def test_infinity_means_no_limit(file: Path) -> None:
    file.write_text(f"calls: {{timeout: .inf, hook_timeout: {10**400}}}\n")
    settings = load_settings(file)
    assert (settings.timeout, settings.hook_timeout) == (math.inf, math.inf)


def test_a_list_of_toolsets_is_a_choice_and_declares_none(file: Path) -> None:
    file.write_text("toolsets: [hermes-cli]\n")
    assert load_settings(file).toolsets == {}


# Broken files


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("plugins:\n  enabled: [a\ncalls: 1\n", 3),
        ("a: b: c\n", 1),
        ("plugins:\n\tdisabled: [a]\n", 2),
        ("a: 1\nb: 'open\n", 3),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: !!python/object:os.system x\n", 1),
        ("a: 1\nwhen: 2024-13-40\n", 2),
        ("a: 1\nb: 2\nnumber: !!int many\n", 3),
        ("a: 1\nb: x\0y\n", 2),
        ("a: *nowhere\n", 1),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_line(content: str, line: int, file: Path) -> None:
    error = refused(file, content)
    assert error.line == line
    assert f"{file}:{line}" in str(error)
    assert "Nothing was changed" in str(error)


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    assert "cannot be read" in str(refused(file, b"\xff\xfe\x00"))


def test_a_file_that_nests_without_end_is_refused(file: Path) -> None:
    assert "nested too deeply" in str(refused(file, "a: " + "[" * 3_000))


@pytest.mark.parametrize("content", ["- a\n", "text\n", "5\n"])
def test_a_file_that_holds_no_settings_is_refused_with_an_example(content: str, file: Path) -> None:
    error = refused(file, content)
    assert "not settings" in str(error)
    assert error.example


def test_a_file_that_cannot_be_opened_is_refused(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config.yaml").mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be read"):
        Hermes.load(discover=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="cannot be read"):
        Hermes.load(discover=False)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("plugins: 5", "plugins"),
        ("plugins: [dice]", "plugins"),
        ("plugins: {enabled: dice}", "plugins.enabled"),
        ("plugins: {enabled: [5]}", "plugins.enabled[0]"),
        ("plugins: {enabled: false}", "plugins.enabled"),
        ("plugins: {disabled: dice}", "plugins.disabled"),
        ("plugins: {disabled: {}}", "plugins.disabled"),
        ("plugins: {disabled: false}", "plugins.disabled"),
        ("calls: soon", "calls"),
        ("calls: {timeout: soon}", "calls.timeout"),
        ("calls: {timeout: 0}", "calls.timeout"),
        ("calls: {timeout: -1}", "calls.timeout"),
        ("calls: {timeout: true}", "calls.timeout"),
        ("calls: {timeout: .nan}", "calls.timeout"),
        ("calls: {hook_timeout: []}", "calls.hook_timeout"),
        ("calls: {approval_timeout: '5'}", "calls.approval_timeout"),
        ("results: 5", "results"),
        ("results: {reader_tool: [cat]}", "results.reader_tool"),
        ("results: {reader_tool: ''}", "results.reader_tool"),
        ("toolset_distributions: [web]", "toolset_distributions"),
        ("toolsets: 5", "toolsets"),
        ("toolsets: false", "toolsets"),
        ("toolsets: {on: [a]}", "toolsets.True"),
        ("toolsets: {mine: 5}", "toolsets.mine"),
        ("toolsets: {mine: {tools: a}}", "toolsets.mine.tools"),
        ("toolsets: {mine: {tools: }}", "toolsets.mine.tools"),
        ("toolsets: {mine: {tool: [a]}}", "toolsets.mine.tool"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_key_and_an_example(content: str, key: str, file: Path) -> None:
    error = refused(file, content)
    assert error.key == key
    assert key in str(error)
    assert error.example
    assert error.example in str(error)


@pytest.mark.parametrize("content", ["plugins: {enabled: dice}", "calls: {timeout: soon}", "plugins: 5", "results: 5"])
def test_the_example_can_be_pasted_into_the_file(content: str, file: Path) -> None:
    example = refused(file, content).example
    assert example
    file.write_text(example)
    assert load_settings(file) is not None


def test_a_toolset_that_cannot_stand_is_refused_with_its_key(file: Path) -> None:
    for content in (
        "toolsets: {mine: {tools: [5]}}",
        "toolsets: {all: [a]}",
        "toolsets: {one: {aliases: [x]}, two: {aliases: [x]}}",
    ):
        file.write_text(content)
        with pytest.raises(ConfigError) as caught:
            Hermes.load(discover=False)
        assert (caught.value.key or "").startswith("toolsets.")
        assert caught.value.file == str(file)


# In use


def test_toolsets_of_the_settings_can_be_asked_for(file: Path) -> None:
    file.write_text("toolsets:\n  mine: {tools: [a], includes: [two], aliases: [my]}\n  short: [c]\n")
    tools = [make("a", "one"), make("b", "two"), make("c", "three")]
    with Hermes.load(discover=False, tools=tools) as hermes:

        def shown(*enabled: str) -> list[str]:
            return [entry["function"]["name"] for entry in hermes.definitions(enabled=enabled)]

        assert shown("mine") == shown("my") == ["a", "b"]
        assert shown("short") == ["c"]
        with pytest.raises(UnknownToolsetError, match="'mine'"):
            shown("mines")


def test_a_toolset_of_the_settings_replaces_a_preset(file: Path) -> None:
    file.write_text("toolsets:\n  web: {tools: [a]}\n")
    with Hermes.load(discover=False, tools=[make("a", "one"), make("web_search", "other")]) as hermes:
        assert [entry["function"]["name"] for entry in hermes.definitions(enabled=["web"])] == ["a"]


def test_given_settings_are_used_instead_of_the_file(file: Path) -> None:
    file.write_text("calls: {timeout: 5}")
    with Hermes.load(discover=False, config={"calls": {"timeout": 3}}) as hermes:
        assert hermes.config.get("calls.timeout") == 3
    file.write_text("broken: [")  # the user's policy stands in it, too: nobody knows what it forbids
    with pytest.raises(ConfigError):
        Hermes.load(discover=False, config=Config(file.parent, data={"calls": {"timeout": 3}})).call("anything")


def test_sections_that_an_application_does_not_give_come_from_the_file(file: Path) -> None:
    file.write_text("calls: {timeout: 5, max_depth: 2}\ntoolsets:\n  mine: {tools: [a]}\nmodel: {name: x}\n")
    with Hermes.load(discover=False, tools=[make("a", "one")], config={"calls": {"timeout": 3}}) as hermes:
        assert hermes.config.get("model") == {"name": "x"}
        assert [entry["function"]["name"] for entry in hermes.definitions(enabled=["mine"])] == ["a"]
        assert (hermes.config.get("calls.timeout"), hermes.config.get("calls.max_depth")) == (3, 32)


def test_the_settings_cannot_be_changed() -> None:
    settings: Any = Settings()
    with pytest.raises(AttributeError):
        settings.timeout = 5
