"""The built-in toolsets as data: one per family, the composites, and one preset per platform."""

from __future__ import annotations

from hermes_core.tools.toolset import Toolset

# Tools that several toolsets name. Platform presets name tools, not families, so that a family that
# grows does not quietly widen what a chat platform may do.

_WEB_READING = ("web_search", "web_extract")
_SHELL = ("terminal", "process")
_FILES = ("read_file", "write_file", "patch", "search_files")
_VISION = ("vision_analyze",)
_IMAGES = ("image_generate",)
_SPEECH = ("text_to_speech",)
_SKILL_USE = ("skills_list", "skill_view", "skill_manage")
_BROWSER = tuple(
    f"browser_{action}"
    for action in (
        "navigate",
        "snapshot",
        "click",
        "type",
        "scroll",
        "back",
        "press",
        "get_images",
        "vision",
        "console",
    )
)
_NOTES = ("todo", "memory", "session_search")
_ASKING = ("clarify",)
_CODE = ("execute_code",)
_DELEGATION = ("delegate_task",)
_CRON = ("cronjob",)
_SENDING = ("send_message",)
_MIXTURE = ("mixture_of_agents",)
_HOME = ("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service")

_CODING = (
    *_WEB_READING,
    *_SHELL,
    *_FILES,
    *_VISION,
    *_SKILL_USE,
    *_BROWSER,
    *_NOTES,
    *_ASKING,
    *_CODE,
    *_DELEGATION,
)

CORE_TOOLS: tuple[str, ...] = (
    *_WEB_READING,
    *_SHELL,
    *_FILES,
    *_VISION,
    *_IMAGES,
    *_SKILL_USE,
    *_BROWSER,
    *_SPEECH,
    *_NOTES,
    *_ASKING,
    *_CODE,
    *_DELEGATION,
    *_CRON,
    *_SENDING,
    *_HOME,
)
"""What the command line and the chat platforms share."""


def _without(tools: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    return tuple(tool for tool in tools if tool not in left_out)


_FAMILIES = (
    Toolset("web", description="Search the web, read and crawl pages.", tools=(*_WEB_READING, "web_crawl")),
    Toolset("search", description="Search the web, without reading pages.", tools=("web_search",)),
    Toolset("vision", description="Look at images and answer questions about them.", tools=_VISION),
    Toolset("image_gen", description="Make images from text.", tools=_IMAGES),
    Toolset("terminal", description="Run shell commands and look after background processes.", tools=_SHELL),
    Toolset("moa", description="Ask several models and merge their answers.", tools=_MIXTURE),
    Toolset("skills", description="Find, read and write skills.", tools=("skills_categories", *_SKILL_USE)),
    Toolset("browser", description="Drive a web browser.", tools=(*_BROWSER, "web_search")),
    Toolset("cronjob", description="Plan work for later or at intervals.", tools=_CRON),
    Toolset("messaging", description="Send messages to people and channels.", tools=_SENDING),
    Toolset("file", description="Read, write, patch and search files.", tools=_FILES),
    Toolset("tts", description="Turn text into speech.", tools=_SPEECH),
    Toolset("todo", description="Keep a list of steps during one session.", tools=("todo",)),
    Toolset("memory", description="Remember across sessions.", tools=("memory",)),
    Toolset("session_search", description="Search earlier sessions.", tools=("session_search",)),
    Toolset("clarify", description="Ask the user a question.", tools=_ASKING),
    Toolset("code_execution", description="Run Python that may call tools itself.", tools=_CODE),
    Toolset("delegation", description="Hand work to sub-agents.", tools=_DELEGATION),
    Toolset("homeassistant", description="See and control a home through Home Assistant.", tools=_HOME),
    Toolset("honcho", description="Model the user with Honcho."),
    Toolset(
        "rl",
        description="Control reinforcement-learning training.",
        tools=("rl_list_environments", "rl_start_training", "rl_check_status"),
    ),
)

_COMPOSITES = (
    Toolset(
        "debugging",
        description="Find out why something fails: a shell, files and the web.",
        tools=_SHELL,
        includes=("web", "file"),
    ),
    Toolset(
        "safe", description="Neither terminal nor files: the web and images.", includes=("web", "vision", "image_gen")
    ),
    Toolset("coding", description="Work on a code base.", tools=_CODING),
)

_SURFACES = (
    Toolset("hermes-acp", description="Inside an editor, over ACP.", tools=_without(_CODING, *_ASKING)),
    Toolset(
        "hermes-api-server",
        description="Behind the HTTP API, where nobody can be asked.",
        tools=_without(CORE_TOOLS, *_ASKING, *_SENDING, *_SPEECH),
    ),
    Toolset("hermes-cli", description="On the command line.", tools=CORE_TOOLS),
    Toolset("hermes-cron", description="In planned jobs.", tools=CORE_TOOLS),
)

_CHAT_PLATFORMS = {
    "telegram": "Telegram",
    "whatsapp": "WhatsApp",
    "slack": "Slack",
    "signal": "Signal",
    "bluebubbles": "iMessage through BlueBubbles",
    "homeassistant": "Home Assistant conversations",
    "email": "e-mail",
    "mattermost": "Mattermost",
    "matrix": "Matrix",
    "dingtalk": "DingTalk",
    "weixin": "Weixin",
    "qqbot": "QQ",
    "wecom": "WeCom",
    "wecom-callback": "WeCom callbacks",
    "sms": "SMS",
    "discord": "Discord",
    "feishu": "Feishu",
    "yuanbao": "Yuanbao",
}

_MESSAGING = (
    *(
        Toolset(f"hermes-{platform}", description=f"In conversations over {label}.", tools=CORE_TOOLS)
        for platform, label in _CHAT_PLATFORMS.items()
    ),
    # A webhook carries text of strangers, so nothing here can change anything.
    Toolset(
        "hermes-webhook",
        description="For webhooks, whose content nobody vouches for.",
        tools=(*_WEB_READING, *_VISION, *_ASKING),
    ),
)

_GATEWAY = Toolset(
    "hermes-gateway",
    description="Everything any messaging platform offers.",
    includes=tuple(preset.name for preset in _MESSAGING),
)

PRESETS: tuple[Toolset, ...] = (*_FAMILIES, *_COMPOSITES, *_SURFACES, *_MESSAGING, _GATEWAY)
"""Every built-in toolset. Naming a tool here does not make it exist: families register tools."""
