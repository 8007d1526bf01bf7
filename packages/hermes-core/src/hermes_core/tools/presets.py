"""The built-in toolsets as data: one per family, the composites, and one preset per platform.

Naming a tool here does not make it exist: families register tools. Platform presets name tools, not families, so that
a family that grows does not quietly widen what a chat platform may do.
"""

from __future__ import annotations

from hermes_core.tools.toolset import Toolset

_SHELL = ("terminal", "process")
_READ_ONLY = ("web_search", "web_extract", "vision_analyze", "clarify")
_BROWSER_ACTIONS = "navigate snapshot click type scroll back press get_images vision console"
_BROWSER = tuple(f"browser_{action}" for action in _BROWSER_ACTIONS.split())
_HOME = ("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service")

_FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "web": ("Search the web, read and crawl pages.", ("web_search", "web_extract", "web_crawl")),
    "search": ("Search the web, without reading pages.", ("web_search",)),
    "vision": ("Look at images and answer questions about them.", ("vision_analyze",)),
    "image_gen": ("Make images from text.", ("image_generate",)),
    "terminal": ("Run shell commands and manage background processes.", _SHELL),
    "moa": ("Ask several models and merge their answers.", ("mixture_of_agents",)),
    "skills": ("Find, read and write skills.", ("skills_categories", "skills_list", "skill_view", "skill_manage")),
    "browser": ("Drive a web browser.", (*_BROWSER, "web_search")),
    "cronjob": ("Plan work for later or at intervals.", ("cronjob",)),
    "messaging": ("Send messages to people and channels.", ("send_message",)),
    "file": ("Read, write, patch and search files.", ("read_file", "write_file", "patch", "search_files")),
    "tts": ("Turn text into speech.", ("text_to_speech",)),
    "todo": ("Keep a list of steps during one session.", ("todo",)),
    "memory": ("Remember across sessions.", ("memory",)),
    "session_search": ("Search earlier sessions.", ("session_search",)),
    "clarify": ("Ask the user a question.", ("clarify",)),
    "code_execution": ("Run Python that may call tools itself.", ("execute_code",)),
    "delegation": ("Hand work to sub-agents.", ("delegate_task",)),
    "homeassistant": ("See and control a home through Home Assistant.", _HOME),
    "honcho": ("Model the user with Honcho.", ()),
    "rl": (
        "Control reinforcement-learning training.",
        ("rl_list_environments", "rl_start_training", "rl_check_status"),
    ),
}

CORE_TOOLS: tuple[str, ...] = (
    *("web_search", "web_extract", *_SHELL, *_FAMILIES["file"][1], "vision_analyze", "image_generate"),
    *("skills_list", "skill_view", "skill_manage", *_BROWSER, "text_to_speech"),
    *("todo", "memory", "session_search", "clarify", "execute_code", "delegate_task", "cronjob", "send_message"),
    *_HOME,
)
"""What the command line and the chat platforms share."""


def _without(tools: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    return tuple(tool for tool in tools if tool not in left_out)


_CODING = _without(CORE_TOOLS, "image_generate", "text_to_speech", "cronjob", "send_message", *_HOME)

_SURFACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "coding": ("Work on a code base.", _CODING),
    "hermes-acp": ("Inside an editor, over ACP.", _without(_CODING, "clarify")),
    "hermes-api-server": (
        "Behind the HTTP API, where nobody can be asked.",
        _without(CORE_TOOLS, "clarify", "send_message", "text_to_speech"),
    ),
    "hermes-cli": ("On the command line.", CORE_TOOLS),
    "hermes-cron": ("In planned jobs.", CORE_TOOLS),
}

_CHATS = {
    **{name: name.title() for name in ("telegram", "slack", "signal", "mattermost", "matrix", "weixin", "discord")},
    "whatsapp": "WhatsApp",
    "bluebubbles": "iMessage through BlueBubbles",
    "email": "e-mail",
    "qqbot": "QQ",
    "homeassistant": "Home Assistant conversations",
    "dingtalk": "DingTalk",
    "wecom": "WeCom",
    "sms": "SMS",
    "wecom-callback": "WeCom callbacks",
    "feishu": "Feishu",
    "yuanbao": "Yuanbao",
}

_MESSAGING: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"hermes-{chat}": (f"In conversations over {label}.", CORE_TOOLS) for chat, label in _CHATS.items()},
    # A webhook carries untrusted text, so nothing here can change anything.
    "hermes-webhook": ("For webhooks, whose content nobody vouches for.", _READ_ONLY),
}

PRESETS: tuple[Toolset, ...] = (
    *(
        Toolset(name, description=description, tools=tools)
        for name, (description, tools) in {**_FAMILIES, **_SURFACES, **_MESSAGING}.items()
    ),
    Toolset(
        "debugging",
        description="Find out why something fails: a shell, files and the web.",
        tools=_SHELL,
        includes=("web", "file"),
    ),
    Toolset(
        "safe", description="Neither terminal nor files: the web and images.", includes=("web", "vision", "image_gen")
    ),
    Toolset("hermes-gateway", description="Everything any messaging platform offers.", includes=tuple(_MESSAGING)),
)
"""Every built-in toolset."""
