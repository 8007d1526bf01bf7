"""Judges shutting down and rebooting the machine."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.rules import FAMILY, POWER
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_HARMLESS = frozenset(
    {"--help", "--version", "-c", "-k", "--show", "-w", "--wtmp-only", "-V", "--dry-run", "/a", "/?", "/l"}
)
_WINDOWS = frozenset({"/a", "/?", "/l"})
_TARGETS = re.compile(
    r"(?:systemd-)?(?:poweroff|reboot|halt|kexec|shutdown|soft-reboot|runlevel[06]|ctrl-alt-del)"
    r"(?:\.target|\.service)?$"
)
#: Every option: a missing option with a value would turn that value into the verb.
_SYSTEMCTL = Spec(
    "H= host= M= machine= C= capsule= t= type= state= p= P= property= s= signal= n= lines= o= output= job-mode= root= "
    "image= image-policy= preset-mode= kill-whom= kill-who= kill-value= kill-subgroup= what= message= when= "
    "check-inhibitors= boot-loader-menu= boot-loader-entry= reboot-argument= timestamp= drop-in= legend= "
    "a all f force i ignore-inhibitors l full q quiet r recursive T show-transaction v verbose h help version now user "
    "system global runtime value wait plain no-wall no-block no-pager no-ask-password no-legend no-reload no-warn "
    "no-sync failed firmware-setup mkdir marked read-only reverse after before with-dependencies show-types stdin fail "
    "irreversible ignore-dependencies dry-run"
)
#: Verbs that start a unit; the last two only with `--now`.
_STARTS = names(
    """
    start restart isolate try-restart condrestart reload-or-restart try-reload-or-restart reload-or-try-restart
    force-reload enable reenable
    """
)
#: Times that cancel or show a planned shutdown.
_NO_MOMENT = frozenset({"", "cancel", "show"})


_PROGRAMS = (
    "shutdown reboot halt poweroff kexec openrc-shutdown pm-powerdown systemd-shutdown fasthalt pm-reboot "
    "s6-linux-init-shutdown s6-poweroff s6-reboot s6-halt shutdown.exe"
)


_OF_WINDOWS = tuple(
    spelling
    for name in ("Restart-Computer", "Stop-Computer", "rundll32", "rundll32.exe", "RunDll32.exe", "wmic", "wmic.exe")
    for spelling in dict.fromkeys((name, name.lower(), name.upper()))
)


def _of_the_project(command: Command, context: Context) -> bool:
    """Return True for a program of this name in the project, such as `./reboot`."""
    name = command.argv[0].raw
    path = command.path(name) if "/" in name else None
    return path is not None and (path[:1] != "/" or path.startswith(f"{context.home}/"))


@FAMILY.judges(*_PROGRAMS.split())
def power(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse shutting down or rebooting."""
    given = [word.raw for word in command.args]
    texts = set(given[: given.index("--")] if "--" in given else given)
    if command.program != "shutdown.exe":
        texts -= _WINDOWS
    if (
        _of_the_project(command, context)
        or texts & _HARMLESS
        or (command.program == "kexec" and not texts & {"-e", "--exec", "-f", "--force"})
    ):
        return
    yield POWER.found(command, severity="ask" if command.elsewhere else None)


@FAMILY.judges(*_OF_WINDOWS)
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the programs of Windows, whose names and words are case-insensitive."""
    texts = [word.raw.lower() for word in command.args]
    name = (command.program or "").lower().removesuffix(".exe")
    if name == "rundll32":
        ends = any("exitwindowsex" in text for text in texts)
    elif name == "wmic":
        ends = "call" in texts and not {"reboot", "shutdown", "win32shutdown"}.isdisjoint(texts)
    else:
        ends = not any(text.startswith(("-what", "-?")) for text in texts)
    elsewhere = command.elsewhere or any(text.startswith(("-computername", "-cn", "/node:")) for text in texts)
    if ends:
        yield POWER.found(command, severity="ask" if elsewhere else None)


@FAMILY.judges("init", "telinit", "runit-init", "busybox-init")
def runlevel(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse the runlevels 0 and 6."""
    if not _of_the_project(command, context) and any(word.raw in {"0", "6"} for word in command.args):
        yield POWER.found(command, severity="ask" if command.elsewhere else None)


@FAMILY.judges("systemctl", "loginctl")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse verbs and targets that end every session."""
    options = parse(command, _SYSTEMCTL)
    moment = options.value("when")
    if options.helps or options.has("dry-run", "h") or (moment is not None and moment.raw in _NO_MOMENT):
        return
    verb = options.subcommand()
    elsewhere = command.elsewhere or options.has("H", "host", "M", "machine", "C", "capsule", "user")
    if (_TARGETS.match(verb) and not verb.endswith(".target")) or _started(verb, options):
        yield POWER.found(command, severity="ask" if elsewhere else None)
    elif options.unknown and _TARGETS.match(options.subcommand(1)) and "." not in verb and verb not in _LOOKS:
        # The previous word may be the value of an unknown option.
        yield POWER.found(command, severity="ask")


#: Verbs that only show a unit, or that take effect later.
_LOOKS = names(
    """
    status show cat help is-active is-enabled is-failed list-dependencies list-units list-unit-files mask unmask
    stop disable enable edit revert start
    """
)


def _started(verb: str, options: Options) -> bool:
    """Return True when a unit is started that ends every session."""
    if verb not in _STARTS or ("enable" in verb and not options.has("now")):
        return False
    return any(
        _TARGETS.match(word.raw) and ("." in word.raw or word.raw.startswith("systemd-") or verb == "isolate")
        for word in options.operands[1:]
    )


_RTCWAKE = Spec(
    "A a l m= n s= t= d= u v h V adjfile= date= device= mode= list-modes dry-run seconds= time= auto utc local verbose "
    "help version"
)


@FAMILY.judges("rtcwake")
def rtcwake(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse powering off until an alarm."""
    options = parse(command, _RTCWAKE)
    if options.helps or options.has("n", "dry-run", "l", "list-modes", "h", "V"):
        return
    if str(options.value("m", "mode") or "") == "off":
        yield POWER.found(command, severity="ask" if command.elsewhere else None)


#: Programs of sessions and machines, and the words that end more than the session.
_LEAVES: dict[str, frozenset[str]] = {
    "gnome-session-quit": frozenset({"--power-off", "--reboot"}),
    "mate-session-save": frozenset({"--shutdown-dialog"}),
    "xfce4-session-logout": frozenset({"--halt", "--reboot", "-h", "-r"}),
    "lxqt-leave": frozenset({"--shutdown", "--reboot"}),
    "launchctl": frozenset({"reboot"}),
    "dinitctl": frozenset({"shutdown"}),
    "esxcli": frozenset({"poweroff", "reboot"}),
    "adb": frozenset({"reboot"}),
}


@FAMILY.judges(*_LEAVES)
def leaves(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse powering off through the desktop or a supervisor."""
    texts = [word.raw for word in command.args]
    if command.program == "adb":
        texts = texts[2:3] if texts[:1] == ["-s"] else texts[:1]
    if not _LEAVES[command.program or ""].isdisjoint(texts):
        yield POWER.found(command, severity="ask" if command.elsewhere or command.program == "adb" else None)


#: Messages that power off, by service.
_ORDERS = (
    ("login1", re.compile(r"\b(?:PowerOff|Reboot|Halt|KExec)\b")),
    ("ConsoleKit", re.compile(r"\b(?:Stop|Restart)\b")),
    ("gnome.SessionManager", re.compile(r"\b(?:Shutdown|Reboot)\b")),
    ("LogoutPrompt", re.compile(r"\bprompt(?:Shutdown|Reboot)\b")),
    ("org.kde.Shutdown", re.compile(r"\blogoutAnd(?:Shutdown|Reboot)\b")),
    ("", re.compile(r"to\s+(?:shut\s*down|restart)\b|aevtr(?:sdn|rst)\b")),
)


@FAMILY.judges("dbus-send", "busctl", "gdbus", "qdbus", "osascript")
def messages(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse powering off by a message to a service."""
    text = " ".join(command.texts[1:])
    # The service is matched first: one pattern for both would try every pair of positions.
    if any(service in text and order.search(text, text.index(service)) for service, order in _ORDERS):
        yield POWER.found(command, severity="ask" if command.elsewhere else None)
