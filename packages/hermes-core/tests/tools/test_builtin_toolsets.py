"""The built-in toolsets hang together and promise no tool that this project does not have."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_core.tools.builtin_toolsets import PRESETS
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

BROWSER = {
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_scroll",
    "browser_back",
    "browser_press",
    "browser_get_images",
    "browser_vision",
    "browser_console",
}
FILES = {"read_file", "write_file", "patch", "search_files"}
SHELL = {"terminal", "process", "execute_code"}
PROJECT_TOOLS = {
    *("web_search", "web_extract", "web_crawl"),
    *FILES,
    *SHELL,
    *BROWSER,
    *("skills_categories", "skills_list", "skill_view", "skill_manage"),
    *("todo", "memory", "session_search", "delegate_task", "clarify", "mixture_of_agents", "cronjob"),
    *("vision_analyze", "image_generate", "text_to_speech", "send_message"),
    *("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"),
    *("rl_list_environments", "rl_start_training", "rl_check_status"),
}


@dataclass(frozen=True)
class NothingInstalled:
    all_names: frozenset[str] = frozenset()
    by_toolset: dict[str, frozenset[str]] = field(default_factory=dict)
    toolset_aliases: dict[str, str] = field(default_factory=dict)


def tools_of(*names: str) -> frozenset[str]:
    return ToolsetCatalog(PRESETS).resolve(names, NothingInstalled())


def preset(name: str) -> Toolset:
    found = ToolsetCatalog(PRESETS).get(name)
    assert found is not None
    return found


def test_every_include_exists() -> None:
    names = {toolset.name for toolset in PRESETS}
    assert {include for toolset in PRESETS for include in toolset.includes} <= names


def test_names_are_unique_and_described() -> None:
    names = [toolset.name for toolset in PRESETS]
    assert len(names) == len(set(names))
    assert all(toolset.description for toolset in PRESETS)


def test_every_preset_resolves_with_nothing_installed() -> None:
    for toolset in PRESETS:
        assert set(toolset.tools) <= set(tools_of(toolset.name))


def test_no_tool_is_named_that_the_project_does_not_have() -> None:
    named = {tool for toolset in PRESETS for tool in toolset.tools}
    assert named == PROJECT_TOOLS


def test_safe_has_no_file_and_no_terminal_tool() -> None:
    assert not tools_of("safe") & (FILES | SHELL | BROWSER)
    assert tools_of("safe") == {"web_search", "web_extract", "web_crawl", "vision_analyze", "image_generate"}


def test_debugging_is_a_shell_with_web_and_files() -> None:
    assert tools_of("debugging") == {"terminal", "process"} | tools_of("web") | FILES


def test_coding_reaches_no_home_no_inbox_and_no_schedule() -> None:
    assert not tools_of("coding") & (tools_of("homeassistant") | tools_of("messaging") | tools_of("cronjob"))


def test_web_and_browser_are_complete() -> None:
    assert tools_of("web") == {"web_search", "web_extract", "web_crawl"}
    assert tools_of("browser") == BROWSER | {"web_search"}


def test_honcho_waits_for_its_family() -> None:
    assert preset("honcho").tools == ()
