"""The plugin: the toolset names of old configurations."""

from hermes_core import Toolset, hookimpl

hermes_api = ">=1.0,<2"

_BROWSER = ("navigate", "snapshot", "click", "type", "scroll", "back", "press", "get_images", "vision", "console")

LEGACY_TOOLSETS: dict[str, tuple[str, ...]] = {
    "web_tools": ("web_search", "web_extract"),
    "terminal_tools": ("terminal",),
    "vision_tools": ("vision_analyze",),
    "moa_tools": ("mixture_of_agents",),
    "image_tools": ("image_generate",),
    "skills_tools": ("skills_list", "skill_view", "skill_manage"),
    "browser_tools": tuple(f"browser_{action}" for action in _BROWSER),
    "cronjob_tools": ("cronjob",),
    "file_tools": ("read_file", "write_file", "patch", "search_files"),
    "tts_tools": ("text_to_speech",),
}
"""Toolset names of old configurations, and the tools that they meant."""


@hookimpl
def hermes_toolsets() -> list[Toolset]:
    """Give each old name the tools that it meant."""
    description = "A toolset name of Hermes Agent, for old configurations."
    return [Toolset(name, description=description, tools=tools) for name, tools in LEGACY_TOOLSETS.items()]
