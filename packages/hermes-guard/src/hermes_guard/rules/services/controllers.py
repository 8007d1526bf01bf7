"""Programs that start and stop the services of a system."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine_verbs import Arguments, letter, verb
from hermes_guard.rules.services.rules import FAMILY, stopped
from hermes_guard.rules.words import names
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SYSTEMCTL = Spec(
    "H= host= M= machine= t= type= p= property= s= signal= n= lines= o= output= job-mode= root= f force i q quiet now "
    "no-wall user system no-block no-pager "
    "no-ask-password when= message= help version dry-run check-inhibitors= kill-whom= what= state= a all l full r "
    "recursive legend? runtime global image= plain show-types"
)
_SYSTEMCTL_VERBS = names(
    "stop restart try-restart reload-or-restart reload-or-try-restart try-reload-or-restart force-reload condrestart "
    "condstop disable mask kill isolate daemon-reexec reenable preset preset-all revert set-default rescue emergency "
    "default switch-root clean freeze cancel set-property bind exit suspend hibernate hybrid-sleep "
    "suspend-then-hibernate sleep"
)


@FAMILY.judges("systemctl", "systemctl.real")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """The verbs that take a service away."""
    options = parse(command, _SYSTEMCTL)
    if options.helps or options.has("dry-run") or not options.operands:
        return
    order = options.operands[0]
    if order.raw in _SYSTEMCTL_VERBS or (not order.certain and not order.splits):
        yield from stopped(command, [word.text for word in options.operands])


_STOPPING = names(
    "stop restart force-restart try-restart condrestart force-stop force-reload full-restart reload-or-restart disable "
    "down kill zap graceful-stop graceful shutdown pause terminate"
)
#: Further verbs of controllers that name the verb first, and the service behind it.
_VERB_FIRST: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("initctl", "dinitctl", "rcctl", "circusctl", "herd", "runsvctl", "systemctl-user"), frozenset[str]()
    ),
    "monit": names("quit unmonitor reload"),
    "nssm": names("remove"),
    "supervisorctl": names("remove reload update signal clear"),
    "sv": names("down d exit x force-stop force-shutdown t term k 1 2"),
    "svcadm": names("clear mark"),
}
_SERVICE_FIRST = ("service", "rc-service", "invoke-rc.d", "eselect")


@FAMILY.judges(*_VERB_FIRST, *_SERVICE_FIRST)
def by_verb(command: Command, _: Context) -> Iterator[Finding]:
    """Controllers whose verb stands before or behind the service."""
    given = Arguments(command.args)
    if "--help" in given.flags or "--version" in given.flags:
        return
    program = command.program or ""
    place = 1 if program in _SERVICE_FIRST else 0
    order = given.words[place] if len(given.words) > place else ""
    if order in _STOPPING or order in _VERB_FIRST.get(program, ()):
        yield from stopped(command, given.words)


@FAMILY.judges("*")
def scripts(command: Command, _: Context) -> Iterator[Finding]:
    """Start scripts that are called by their path."""
    if not command.args or not command.argv[0].raw.startswith(("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")):
        return
    if command.args[0].raw in _STOPPING:
        yield from stopped(command, [word.raw for word in command.args])


_LAUNCHCTL = verb("unload stop remove bootout disable kill reboot config") | (verb("kickstart") & letter("k"))


@FAMILY.judges("launchctl")
def launchctl(command: Command, _: Context) -> Iterator[Finding]:
    """The services of macOS."""
    given = Arguments(command.args)
    if _LAUNCHCTL.holds(given):
        yield from stopped(command, given.words)


@FAMILY.judges("brew")
def brew(command: Command, _: Context) -> Iterator[Finding]:
    """Services that brew runs."""
    words = Arguments(command.args).words
    if words[:1] == ["services"] and words[1:2] and words[1] in {"stop", "restart", "kill", "cleanup"}:
        yield from stopped(command, words)


@FAMILY.judges("net", "net.exe", "sc", "sc.exe", "wmic", "taskkill", "taskkill.exe")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Services and tasks of Windows."""
    words = [word.raw.lower() for word in command.args]
    program = (command.program or "").removesuffix(".exe")
    if (
        (program == "net" and words[:1] == ["stop"])
        or (program == "sc" and words[:1] and words[0] in {"stop", "delete", "config"})
        or (program == "taskkill" and words)
        or (program == "wmic" and {"delete", "terminate", "stopservice"} & set(words))
    ):
        yield from stopped(command, words)
