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
    "vision": ("Analyze images.", "vision_analyze", ""),
    "image_gen": ("Generate images from text.", "image_generate", ""),
    "terminal": ("Run shell commands and manage background processes.", _SHELL, ""),
    "moa": ("Combine the answers of several models.", "mixture_of_agents", ""),
    "skills": ("Find, read and write skills.", "skills_categories skills_list skill_view skill_manage", ""),
    "browser": ("Control a web browser.", f"{_BROWSER} web_search", ""),
    "cronjob": ("Schedule work for later or at intervals.", "cronjob", ""),
    "messaging": ("Send messages to people and channels.", "send_message", ""),
    "file": ("Read, write, patch and search files.", _FILES, ""),
    "tts": ("Convert text to speech.", "text_to_speech", ""),
    "todo": ("Maintain a list of steps during a session.", "todo", ""),
    "memory": ("Remember facts across sessions.", "memory", ""),
    "session_search": ("Search earlier sessions.", "session_search", ""),
    "clarify": ("Ask the user a question.", "clarify", ""),
    "code_execution": ("Run Python code that can call tools.", "execute_code", ""),
    "delegation": ("Delegate work to sub-agents.", "delegate_task", ""),
    "homeassistant": (
        "Monitor and control a home with Home Assistant.",
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
    "debugging": ("Debug problems with a shell, files and the web.", _SHELL, "web file"),
    "safe": ("Use the web and images, but no terminal or files.", "", "web vision image_gen"),
}
"""Name to description, tools and included toolsets."""

PRESETS: tuple[Toolset, ...] = tuple(
    Toolset(name, description=description, tools=tools.split(), includes=includes.split())
    for name, (description, tools, includes) in _PRESETS.items()
)
