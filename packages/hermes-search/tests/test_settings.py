"""What users may write about tool search, and what they may write by mistake."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import ConfigError, Hermes, Tool
from hermes_core.config.config import Config
from hermes_core.config.sections import SectionSpec
from hermes_search import plugin
from hermes_search.settings import KEYS, MAX_MATCHES, SECTION, ToolSearchConfig

Make = Callable[..., Hermes]
_TOOLS = SectionSpec(name="tools", schema=SECTION)


def read(raw: object) -> tuple[ToolSearchConfig, list[str]]:
    warnings: list[str] = []
    return ToolSearchConfig.from_raw(raw, warnings.append), warnings


def test_without_a_word_the_defaults_hold() -> None:
    config, warnings = read(None)
    assert (config.enabled, config.threshold_pct) == ("auto", 10.0)
    assert (config.search_default_limit, config.max_search_limit) == (5, 20)
    assert read({}) == (config, []) == (config, warnings)


@pytest.mark.parametrize(
    ("raw", "mode"),
    [
        *((True, "auto"), (False, "off"), (1, "auto"), (0, "off"), ("true", "auto"), ("No", "off")),
        *(("auto", "auto"), (" ON ", "on"), ("off", "off")),
    ],
)
def test_one_word_stands_for_the_section(raw: object, mode: str) -> None:
    config, warnings = read(raw)
    assert (config, warnings) == (ToolSearchConfig(enabled=mode), [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raw", "mode"),
    [
        *((True, "on"), ("true", "on"), (1, "on"), ("1", "on"), ("YES", "on"), ("on", "on")),
        *((False, "off"), ("false", "off"), (0, "off"), ("0", "off"), ("no", "off"), ("Off", "off")),
        *(("auto", "auto"), (" Auto ", "auto"), (None, "auto")),
    ],
)
def test_enabled_means_what_yaml_makes_of_it(raw: object, mode: str) -> None:
    config, warnings = read({"enabled": raw})
    assert (config.enabled, warnings) == (mode, [])


@pytest.mark.parametrize("raw", ["atuo", "", 2, 1.0, [], {}, ["on"], object(), 10**5000], ids=type)
def test_a_mode_that_is_none_is_auto_with_a_warning(raw: object) -> None:
    config, warnings = read({"enabled": raw})
    assert config == ToolSearchConfig()
    assert len(warnings) == 1
    assert "tools.tool_search.enabled is" in warnings[0]


@pytest.mark.parametrize("raw", ["atuo", "", 2, 3.5, [], [True], object(), 10**5000], ids=type)
def test_a_section_that_is_none_is_auto_with_a_warning(raw: object) -> None:
    config, warnings = read(raw)
    assert config == ToolSearchConfig()
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("raw", "percent"),
    [
        *((0, 0.0), (-5, 0.0), (100, 100.0), (250, 100.0), (math.inf, 100.0), (-math.inf, 0.0), (10**400, 100.0)),
        *((2.5, 2.5), ("15", 15.0), (" 15% ", 15.0), (-(10**400), 0.0), ("1e3", 100.0)),
    ],
    ids=lambda value: str(value)[:12],
)
def test_the_threshold_stays_between_nothing_and_everything(raw: object, percent: float) -> None:
    config, warnings = read({"threshold_pct": raw})
    assert (config.threshold_pct, warnings) == (percent, [])


@pytest.mark.parametrize(
    ("raw", "usual", "most"),
    [
        ({"max_search_limit": 0}, 1, 1),
        ({"max_search_limit": -3}, 1, 1),
        ({"max_search_limit": 3}, 3, 3),
        ({"max_search_limit": 1000}, 5, MAX_MATCHES),
        ({"max_search_limit": math.inf}, 5, MAX_MATCHES),
        ({"max_search_limit": 7.9}, 5, 7),
        ({"search_default_limit": 0}, 1, 20),
        ({"search_default_limit": 99}, 20, 20),
        ({"search_default_limit": "8"}, 8, 20),
        ({"search_default_limit": 30, "max_search_limit": 50}, 30, 50),
    ],
)
def test_limits_stay_within_each_other(raw: dict[str, Any], usual: int, most: int) -> None:
    config, warnings = read(raw)
    assert (config.search_default_limit, config.max_search_limit, warnings) == (usual, most, [])


@pytest.mark.parametrize("key", ["threshold_pct", "search_default_limit", "max_search_limit"])
@pytest.mark.parametrize("raw", ["many", "", True, False, [5], {}, math.nan, "nan"])
def test_a_number_that_is_none_is_the_default_with_a_warning(key: str, raw: object) -> None:
    config, warnings = read({key: raw})
    assert config == ToolSearchConfig()
    assert len(warnings) == 1
    assert key in warnings[0]


@pytest.mark.parametrize(
    ("raw", "wanted"), [(True, True), ("yes", True), (1, True), (False, False), ("no", False), (None, False)]
)
def test_habits_count_only_when_they_are_to(raw: object, wanted: bool) -> None:
    config, warnings = read({"usage_prior": raw})
    assert (config.usage_prior, warnings) == (wanted, [])
    doubtful, warnings = read({"usage_prior": "often"})
    assert (doubtful, len(warnings)) == (ToolSearchConfig(), 1)


def test_a_key_that_nobody_reads_is_told_with_the_one_that_was_meant() -> None:
    config, warnings = read({"threshold_pc": 50, 7: 1})
    assert config == ToolSearchConfig()
    assert "threshold_pct" in warnings[0]
    assert "7" in warnings[1]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, "x"]), inner),
        max_leaves=8,
    )
)
def test_nothing_that_can_be_written_breaks_it(raw: object) -> None:
    config, _ = read(raw)
    assert config.enabled in ("auto", "on", "off")
    assert 0 <= config.threshold_pct <= 100
    assert 1 <= config.search_default_limit <= config.max_search_limit <= MAX_MATCHES


@pytest.mark.parametrize(
    ("wanted", "limit"),
    [
        (None, 5),
        (3, 3),
        (0, 1),
        (-9, 1),
        (1000, 20),
        (10**5000, 20),
        ("7", 7),
        ("many", 5),
        (True, 5),
        (2.0, 2),
        (3.7, 3),
        (math.inf, 20),
        (math.nan, 5),
        ([3], 5),
        ({}, 5),
    ],
    ids=type,
)
def test_a_search_finds_as_many_as_is_asked_for_within_bounds(wanted: object, limit: int) -> None:
    assert ToolSearchConfig().limit(wanted) == limit


# -- where it is read from ----------------------------------------------------------------------------------------


def written(home: Path, text: str) -> Hermes:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text, encoding="utf-8")
    hermes = Hermes.load(discover=False, plugins=[plugin])
    hermes.registry.register(Tool.from_schema({"name": "far", "description": "Far."}, lambda args: "{}"))
    return hermes


def is_hidden(hermes: Hermes) -> bool:
    with hermes:
        return [each["function"]["name"] for each in hermes.definitions()] != ["far"]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("tools: {tool_search: {enabled: on}}", True),
        ("tools: {tool_search: {enabled: auto, threshold_pct: 0}}", False),  # the window is not known
        ("tools: {tool_search: on}", False),  # a bare on is true, and true is auto
        ("tools: {tool_search: 'on'}", True),
        ("tools: {tool_search: off}", False),
        ("tools: {other: 1}", False),
        ("tools:", False),
        ("calls: {timeout: 5}", False),
    ],
)
def test_the_users_file_decides(home: Path, text: str, hidden: bool) -> None:
    assert is_hidden(written(home, text)) is hidden


@pytest.mark.parametrize(
    ("text", "meant"),
    [("tools: {tool_search: {enabeld: on}}", "enabled"), ("tools: {tool_serch: 'on'}", "tool_search")],
)
def test_a_misspelled_key_is_warned_of_once(
    home: Path, text: str, meant: str, caplog: pytest.LogCaptureFixture
) -> None:
    with written(home, text) as hermes:
        assert [each["function"]["name"] for each in hermes.definitions()] == ["far"]
        assert hermes.call("far") == "{}"
    assert [f"Did you mean '{meant}'?" in record.getMessage() for record in caplog.records] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "tools: 5",
        "tools: [web]",
        "tools: {tool_search: sometimes}",
        "tools: {tool_search: {enabled: sometimes}}",
        "tools: {tool_search: {threshold_pct: lots, max_search_limit: [], search_default_limit: {}}}",
        "tools: {5: 'on'}",
    ],
)
def test_a_wrong_type_is_an_error(home: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="tools"):
        written(home, text)


def test_a_section_of_another_name_is_told_with_the_one_that_was_meant() -> None:
    warnings: list[str] = []
    assert ToolSearchConfig.of_section({"tool_serch": "on"}, warnings.append) == ToolSearchConfig()
    assert warnings == ["tools has no key 'tool_serch'. Did you mean 'tool_search'?"]
    warnings.clear()
    assert ToolSearchConfig.of_section({"colour": 1, "tool_search": "on"}, warnings.append).enabled == "on"
    assert warnings == ["tools has no key 'colour'. Its key is tool_search."]


def test_a_variable_wins_over_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_TOOLS__TOOL_SEARCH__ENABLED", "on")
    assert is_hidden(written(home, "tools: {tool_search: off}"))
    assert is_hidden(written(home, ""))


def test_a_variable_of_a_wrong_type_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_TOOLS__TOOL_SEARCH__THRESHOLD_PCT", "lots")
    with pytest.raises(ConfigError, match="HERMES_TOOLS__TOOL_SEARCH__THRESHOLD_PCT"):
        written(home, "tools: {tool_search: {enabled: on}}")


def test_an_application_decides_for_its_own_host(host: Make) -> None:
    far = Tool.from_schema({"name": "far", "description": "Far."}, lambda args: "{}")
    assert is_hidden(host(tools=[far], config={"tools": {"tool_search": {"enabled": "on"}}}))
    assert not is_hidden(host(tools=[far], config={"tools": {"tool_search": False}}))
    assert not is_hidden(host(tools=[far], config={"tools": "on"}))


def test_the_section_is_known_to_the_checks_of_the_settings(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("tools: {tool_search: {enabled: on, threshold_pct: 500}}", encoding="utf-8")
    (problem,) = Config(home, [_TOOLS]).problems()
    assert problem.key == "tools.tool_search.threshold_pct"
    for fine in ("auto", "true", "{enabled: off, threshold_pct: 2.5, search_default_limit: 3, max_search_limit: 9}"):
        (home / "config.yaml").write_text(f"tools: {{tool_search: {fine}}}", encoding="utf-8")
        assert Config(home, [_TOOLS]).problems() == []
