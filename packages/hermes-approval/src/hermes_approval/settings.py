"""The user's settings for approvals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_approval.policy.ruleset import RuleSet
    from hermes_core.settings import Config, ConfigProblem

Mode = Literal["manual", "smart", "off"]
MODES = ("manual", "smart", "off")

_CRON_YES = frozenset({"approve", "off", "allow", "yes"})


class ApprovalSettings(NamedTuple):
    """Who is asked, and how long they have to answer.

    Attributes:
        mode: `manual`, `smart` or `off`.
        terminal_seconds: How long a request is shown at a terminal.
        callback_seconds: How long an application or another process has to answer.
        cron_approves: Whether cron jobs may make calls that would need an approval.
        smart: Model, address and key of smart approval.
        allowlist: The commands of `command_allowlist`.
        explicit: Whether the mode was chosen; only then does it apply to what a parent host asks about.
    """

    mode: Mode = "manual"
    terminal_seconds: float = 60.0
    callback_seconds: float = 300.0
    cron_approves: bool = False
    smart: tuple[str, str, str] | None = None
    allowlist: object = None
    explicit: bool = False


def read_approvals(config: Config) -> ApprovalSettings:
    """Read the section `approvals`, and `command_allowlist`.

    Raises:
        ConfigError: a value is invalid.
    """
    section = config.section("approvals")
    mode = section["mode"]
    smart = read_smart(section) if mode == "smart" else None
    allowlist = config.stored("command_allowlist")
    if not isinstance(allowlist, list | None):
        raise ConfigError(
            "must be a list of commands.",
            file=str(config.file),
            line=config.line_of(("command_allowlist",)),
            key="command_allowlist",
            example='command_allowlist: ["git status"]',
        )
    return ApprovalSettings(
        mode=mode,
        terminal_seconds=float(section["timeout"]),
        callback_seconds=float(section["gateway_timeout"]),
        cron_approves=section["cron_mode"] in _CRON_YES,
        smart=smart,
        allowlist=allowlist,
        explicit=bool({"mode", "cron_mode"} & set(config.get_configured("approvals") or ())),
    )


def read_smart(section: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return model, address and key of smart approval.

    Raises:
        ConfigError: there is no model.
    """
    if not section.get("smart_model"):
        raise ConfigError("is needed when approvals are smart.", key="approvals.smart_model", example="gpt-4o-mini")
    return section["smart_model"], section["smart_base_url"], section.get("smart_api_key") or ""


def read_policy(config: Config, known_tools: Any = None) -> RuleSet:
    """Read the rules of the section `policy`.

    Raises:
        ConfigError: a rule cannot be used. The others would be a policy with a hole.
    """
    ruleset, problems = find_policy(config, known_tools)
    raise_first(problems)
    return ruleset


def raise_first(problems: Iterable[ConfigProblem]) -> None:
    """Raise the first error; warnings do not count."""
    for problem in problems:
        if problem.level == "error":
            raise problem.error()


def find_policy(config: Config, known_tools: Any = None) -> tuple[RuleSet, list[ConfigProblem]]:
    """Return the rules of the section `policy`, and every problem in them.

    Raises:
        ConfigError: the file, or a variable for the section, cannot be read.
    """
    from hermes_approval.policy.rule_reader import read_rules

    return read_rules(
        config.get_configured("policy"), file=str(config.file), line_of=config.line_of, known_tools=known_tools
    )
