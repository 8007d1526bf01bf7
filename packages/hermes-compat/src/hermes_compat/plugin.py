"""The plugin: the toolsets of Hermes Agent's platforms, and toolset names of old configurations."""

from hermes_core import Toolset, hookimpl

hermes_api = ">=1.0,<2"

_BROWSER_ACTIONS = ("navigate", "snapshot", "click", "type", "scroll", "back", "press", "get_images", "vision")
_BROWSER = tuple(f"browser_{action}" for action in (*_BROWSER_ACTIONS, "console"))
_FILES = ("read_file", "write_file", "patch", "search_files")
_SKILLS = ("skills_list", "skill_view", "skill_manage")

LEGACY_TOOLSETS: dict[str, tuple[str, ...]] = {
    "web_tools": ("web_search", "web_extract"),
    "terminal_tools": ("terminal",),
    "vision_tools": ("vision_analyze",),
    "moa_tools": ("mixture_of_agents",),
    "image_tools": ("image_generate",),
    "skills_tools": _SKILLS,
    "browser_tools": _BROWSER,
    "cronjob_tools": ("cronjob",),
    "file_tools": _FILES,
    "tts_tools": ("text_to_speech",),
}
"""Toolset names of old configurations, with their tools."""

CORE_TOOLS: tuple[str, ...] = (
    *("web_search", "web_extract", "terminal", "process", *_FILES, "vision_analyze", "image_generate", *_SKILLS),
    *(*_BROWSER, "text_to_speech", "todo", "memory", "session_search", "clarify", "execute_code", "delegate_task"),
    *("cronjob", "send_message", "ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"),
)
"""The tools of the command line and the chat platforms.

They are listed one by one, so that a family that grows does not extend what a chat platform may do.
"""


def _core_without(*left_out: str) -> tuple[str, ...]:
    return tuple(tool for tool in CORE_TOOLS if tool not in left_out)


_HOME = tuple(tool for tool in CORE_TOOLS if tool.startswith("ha_"))
_NOT_IN_EDITORS = ("clarify", "image_generate", "text_to_speech", "cronjob", "send_message", *_HOME)
# A webhook carries untrusted text, so these tools cannot change anything.
_READ_ONLY = ("web_search", "web_extract", "vision_analyze", "clarify")

_CHATS = {
    **{name: name.title() for name in ("telegram", "slack", "signal", "mattermost", "matrix", "weixin", "discord")},
    "whatsapp": "WhatsApp",
    "bluebubbles": "iMessage through BlueBubbles",
    "email": "e-mail",
    "qqbot": "QQ",
    "homeassistant": "Home Assistant",
    "dingtalk": "DingTalk",
    "wecom": "WeCom",
    "sms": "SMS",
    "wecom-callback": "WeCom callbacks",
    "feishu": "Feishu",
    "yuanbao": "Yuanbao",
}

PLATFORM_TOOLSETS: tuple[Toolset, ...] = (
    Toolset("hermes-cli", description="On the command line.", tools=CORE_TOOLS),
    Toolset("hermes-cron", description="In scheduled jobs.", includes=["hermes-cli"]),
    Toolset("hermes-acp", description="Inside an editor, over ACP.", tools=_core_without(*_NOT_IN_EDITORS)),
    Toolset(
        "hermes-api-server",
        description="Behind the HTTP API, where no user can be asked.",
        tools=_core_without("clarify", "send_message", "text_to_speech"),
    ),
    *(
        Toolset(f"hermes-{chat}", description=f"In conversations over {label}.", includes=["hermes-cli"])
        for chat, label in _CHATS.items()
    ),
    Toolset("hermes-webhook", description="For webhooks, whose content is untrusted.", tools=_READ_ONLY),
    Toolset(
        "hermes-gateway",
        description="Everything any messaging platform offers.",
        includes=(*(f"hermes-{chat}" for chat in _CHATS), "hermes-webhook"),
    ),
)
"""The toolset of each platform that Hermes Agent runs on."""


@hookimpl
def hermes_toolsets() -> list[Toolset]:
    """Return the toolsets of the platforms, and those of old configurations."""
    description = "A toolset name of Hermes Agent, for old configurations."
    legacy = [Toolset(name, description=description, tools=tools) for name, tools in LEGACY_TOOLSETS.items()]
    return [*PLATFORM_TOOLSETS, *legacy]
