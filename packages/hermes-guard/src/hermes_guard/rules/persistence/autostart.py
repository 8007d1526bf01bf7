"""Judges services and programs that start automatically."""

import shlex
from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import (
    Way,
    both,
    either,
    folded,
    gives,
    operands,
    ordered,
    says,
    starts,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.environment_variables import code
from hermes_guard.rules.persistence.rules import BOOT, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SYSTEMCTL = Spec(
    "H= host= M= machine= t= type= p= property= s= signal= n= lines= o= output= job-mode= "
    "root= f force q quiet now no-wall user system global no-block "
    "no-pager no-ask-password runtime l full a all help version dry-run"
)
_ENABLING = frozenset(
    [
        *("enable", "reenable", "link", "edit", "set-default", "preset", "preset-all", "unmask", "revert"),
        *("add-wants", "add-requires", "set-property", "set-environment", "import-environment", "bind", "mount-image"),
    ]
)


@FAMILY.judges("systemctl", "loginctl")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about verbs that start something at boot or login."""
    options = parse(command, _SYSTEMCTL)
    verb = options.subcommand()
    if options.helps or options.has("dry-run"):
        return
    if (command.program == "systemctl" and verb in _ENABLING) or verb == "enable-linger":
        yield BOOT.found(command, path=" ".join(word.text for word in options.operands[1:])[:80] or verb)


_RUN_KEYS = re.compile(
    r"\\Run|CurrentVersion\\?Run|Winlogon|Services|Image File Execution|Policies|hklm|hkey_local_machine", re.IGNORECASE
)
_LOGIN_SETTINGS = re.compile(
    r"loginwindow|LoginHook|LogoutHook|LaunchAgents|LaunchDaemons|LSQuarantine|AutoLaunchedApplicationDictionary|"
    r"screensaver|Gatekeeper|/Library/Preferences"
)
_LAUNCHED = re.compile(r"Launch(?:Agents|Daemons)")
_LOGIN_ITEM = re.compile(r"make (?:new )?login item")
_STARTS = re.compile(r"media-keys|startup|autorun")
_AUTOSTARTS = re.compile(r"autostart")


def _names(pattern: re.Pattern[str]) -> Way:
    return lambda words: any(pattern.search(word) for word in words)


def _service(words: Sequence[str]) -> bool:
    verbs = words[1:] if words and words[0].startswith("\\\\") else words
    return bool(verbs) and verbs[0].lower() in {"create", "config", "delete", "failure"}


def _insserv(words: Sequence[str]) -> bool:
    return any(words) and not words[0].startswith(("-h", "-s"))


def _gsettings(words: Sequence[str]) -> bool:
    found = operands(words)
    return found[:1] == ["set"] and any(_STARTS.search(word) for word in found[1:2])


_AUTOSTART: dict[str, Way] = {
    "launchctl": starts("load|bootstrap|submit|enable|setenv|config|asuser|start|kickstart"),
    "update-rc.d": starts("* defaults|enable|disable|remove|start"),
    "chkconfig": either(gives("--add", "--del", "--level"), starts("* on|off|reset")),
    "rc-update": starts("add|del|delete", "* add|del"),
    "insserv": _insserv,
    "sysv-rc-conf": says("on|off"),
    "sysrc": lambda words: any("=" in word for word in words),
    "pm2": starts("startup|unstartup"),
    "sc": _service,
    "sc.exe": _service,
    "reg": both(folded(starts("add|import|delete|restore")), _names(_RUN_KEYS)),
    "defaults": both(starts("write"), _names(_LOGIN_SETTINGS)),
    "osascript": _names(_LOGIN_ITEM),
    "plutil": both(gives("-insert", "-replace", "-remove"), _names(_LAUNCHED)),
    "gsettings": _gsettings,
    "brew": both(starts("services start"), gives("--all")),
    "kwriteconfig5": _names(_AUTOSTARTS),
    "wsl.exe": gives("--unregister"),
    "bcdedit": starts("/set"),
}


@FAMILY.judges(*_AUTOSTART)
def autostart(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about services that start by themselves on other systems."""
    texts = [word.raw for word in command.args]
    if "--help" not in texts and ordered(command, _AUTOSTART):
        yield BOOT.found(command, path=" ".join(texts)[:80])
        if texts[:1] == ["submit"] and "--" in texts:
            yield from code(shlex.join(texts[texts.index("--") + 1 :]), command, context)
