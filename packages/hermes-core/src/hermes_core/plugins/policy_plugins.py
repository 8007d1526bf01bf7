"""Denies all calls if a plugin with a policy cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_core.hookspecs import hookimpl
from hermes_core.plugins.api_version import POLICY_HOOKS

if TYPE_CHECKING:
    from hermes_core.findings import Deny
    from hermes_core.plugins.loader import LoadedPlugin
    from hermes_core.plugins.manager import Plugins
    from hermes_core.plugins.plugin_records import Candidate

_HOW_TO_GO_ON = (
    "Until it works, every call is denied. To work without it, add it to plugins.disabled in config.yaml, or name the "
    "plugins of one run in HERMES_PLUGINS."
)


class MissingPolicy:
    """Takes the place of a plugin with a policy that cannot be used: it denies every call."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    @hookimpl(tryfirst=True)
    def hermes_pre_tool_call(self) -> Deny:
        from hermes_core.findings import Deny

        return Deny(self.reason)


class UnreadPolicy:
    """Takes the place of the plugin for a section with a policy: it denies all calls while no plugin reads it."""

    def __init__(self, section: str, distribution: str, owners_of: Callable[[str], object]) -> None:
        self._section = section
        self._distribution = distribution
        self._owners_of = owners_of

    @hookimpl(tryfirst=True)
    def hermes_pre_tool_call(self) -> Deny | None:
        if self._owners_of(self._section):
            return None
        from hermes_core.families import install_command
        from hermes_core.findings import Deny

        return Deny(
            f"config.yaml has a section {self._section!r}, and no plugin reads it. Until one does, all calls are "
            f"denied. Install {self._distribution} ({install_command(self._distribution)}), or remove the section"
        )


def deny_without(loaded: LoadedPlugin, reason: str, required: tuple[str, ...], plugins: Plugins) -> None:
    """Deny all calls from now on if a plugin that cannot be used is required or holds a policy."""
    candidate, record = loaded.candidate, loaded.record
    is_required = candidate.name in required
    hooks = {*loaded.policy_hooks, *(loaded.contribution.hooks if loaded.contribution is not None else ())}
    holds_policy = hooks.intersection(POLICY_HOOKS) or (loaded.manifest is None and _names_policy_hook(candidate))
    if record.denies or not (is_required or holds_policy):
        return
    what = "is required" if is_required else "holds a policy"
    missing = f"the plugin {candidate.name!r} {what} and cannot be used: {reason.rstrip('.')}. {_HOW_TO_GO_ON}"
    known = plugins.names()
    name = candidate.name if candidate.name not in known else f"{candidate.name} (missing)"
    if name not in known:
        plugins.accept(MissingPolicy(missing), name)
    remedy = " ".join(filter(None, (record.remedy, _HOW_TO_GO_ON)))
    loaded.record = record._replace(denies=True, remedy=remedy)


def _names_policy_hook(candidate: Candidate) -> bool:
    """Return True if the source code contains the name of a hook that can keep a call from running.

    There is no other information about a plugin that has no valid manifest and cannot be imported. If it is too large
    to be searched, it is assumed to hold a policy.
    """
    if candidate.sources is None:
        return False
    words = [hook.encode() for hook in POLICY_HOOKS]
    from hermes_core.plugins.plugin_sources import is_adapted

    if is_adapted(candidate):  # other programs' hooks lack our prefix
        words = [word.removeprefix(b"hermes_") for word in words]
    return any(text is None or word in text for text in candidate.sources() for word in words)
