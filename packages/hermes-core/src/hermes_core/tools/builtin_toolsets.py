"""The built-in toolsets: one for each family of tools, and three for common work.

A tool that is listed here exists only if a family registers it.
"""

from __future__ import annotations

from hermes_core.tools.toolset import Toolset

_BROWSER_ACTIONS = "navigate snapshot click type scroll back press get_images vision console"
_BROWSER = " ".join(f"browser_{action}" for action in _BROWSER_ACTIONS.split())
_SHELL, _FILES = "terminal process", "read_file write_file patch search_files"

_PRESETS: dict[str, tuple[str, str, str]] = {
    "web": ("Search the web, read and crawl pages.", "web_search web_extract web_crawl", ""),
    "search": ("Search the web, without reading pages.", "web_search", ""),
    "vision": ("Look at images and answer questions about them.", "vision_analyze", ""),
    "image_gen": ("Make images from text.", "image_generate", ""),
    "terminal": ("Run shell commands and manage background processes.", _SHELL, ""),
    "moa": ("Ask several models and merge their answers.", "mixture_of_agents", ""),
    "skills": ("Find, read and write skills.", "skills_categories skills_list skill_view skill_manage", ""),
    "browser": ("Drive a web browser.", f"{_BROWSER} web_search", ""),
    "cronjob": ("Plan work for later or at intervals.", "cronjob", ""),
    "messaging": ("Send messages to people and channels.", "send_message", ""),
    "file": ("Read, write, patch and search files.", _FILES, ""),
    "tts": ("Turn text into speech.", "text_to_speech", ""),
    "todo": ("Keep a list of steps during one session.", "todo", ""),
    "memory": ("Remember across sessions.", "memory", ""),
    "session_search": ("Search earlier sessions.", "session_search", ""),
    "clarify": ("Ask the user a question.", "clarify", ""),
    "code_execution": ("Run Python that may call tools itself.", "execute_code", ""),
    "delegation": ("Hand work to sub-agents.", "delegate_task", ""),
    "homeassistant": (
        "See and control a home through Home Assistant.",
        "ha_list_entities ha_get_state ha_list_services ha_call_service",
        "",
    ),
    "honcho": ("Model the user with Honcho.", "", ""),
    "rl": (
        "Control reinforcement-learning training.",
        "rl_list_environments rl_start_training rl_check_status",
        "",
    ),
    "coding": (
        "Work on a code base.",
        f"web_search web_extract {_SHELL} {_FILES} vision_analyze skills_list skill_view skill_manage {_BROWSER} "
        "todo memory session_search clarify execute_code delegate_task",
        "",
    ),
    "debugging": ("Find out why something fails: a shell, files and the web.", _SHELL, "web file"),
    "safe": ("Neither terminal nor files: the web and images.", "", "web vision image_gen"),
}
"""Name to description, tools and included toolsets."""

PRESETS: tuple[Toolset, ...] = tuple(
    Toolset(name, description=description, tools=tools.split(), includes=includes.split())
    for name, (description, tools, includes) in _PRESETS.items()
)
