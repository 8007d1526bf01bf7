"""Judges programs that start and stop system services."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import Arguments, Check, any_word, flag, flag_starts, letter, verb
from hermes_guard.rules.family import Context
from hermes_guard.rules.services.findings import report_stop
from hermes_guard.rules.services.rules import FAMILY, LEVEL
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
    """Ask about verbs that stop or disable a service."""
    options = parse(command, _SYSTEMCTL)
    if options.helps or options.has("dry-run") or not options.operands:
        return
    order = options.operands[0]
    if order.raw in _SYSTEMCTL_VERBS or (not order.certain and not order.splits):
        yield from report_stop(command, [word.text for word in options.operands])


_STOPPING = names(
    "stop restart force-restart try-restart condrestart force-stop force-reload full-restart reload-or-restart disable "
    "down kill zap graceful-stop graceful shutdown pause terminate"
)
#: Prefixes of verbs in BSD service scripts, as in `onestop`.
_HOW = ("one", "fast", "force", "quiet")
#: Controllers with the verb first: options that take a value, and additional verbs that stop.
_VERB_FIRST: dict[str, tuple[Spec, frozenset[str]]] = {
    **dict.fromkeys(("rcctl", "runsvctl", "systemctl-user", "synopkg"), (Spec(posix=True), frozenset[str]())),
    "circusctl": (Spec("endpoint= timeout= ssh= ssh_keyfile= json prettify", posix=True), names("quit rm signal")),
    "dinitctl": (Spec("p= socket-path= s system u user o offline quiet", posix=True), names("release unpin disable")),
    "herd": (Spec("s= socket=", posix=True), frozenset[str]()),
    "immortalctl": (Spec(posix=True), names("exit halt")),
    "initctl": (Spec("session user system dest= q quiet v verbose", posix=True), frozenset[str]()),
    "monit": (Spec("c= g= l= p= s= d= v vv I B", posix=True), names("quit unmonitor reload")),
    "nssm": (Spec(posix=True), names("remove")),
    "supervisorctl": (
        Spec("c= configuration= s= serverurl= u= username= p= password= r i", posix=True),
        names("remove reload update signal clear"),
    ),
    "sv": (Spec("v w=", posix=True), names("down d exit x force-stop force-shutdown t term k 1 2")),
    "svcadm": (Spec("v S z= Z", posix=True), names("clear mark")),
}
_SERVICE_FIRST = ("service", "rc-service", "invoke-rc.d", "eselect")


def _stops(order: str) -> bool:
    """Return True for a verb that stops or disables a service, including the BSD prefixes."""
    if order in _STOPPING:
        return True
    return any(order.startswith(how) and order.removeprefix(how) in _STOPPING for how in _HOW)


@FAMILY.judges(*_VERB_FIRST)
def by_verb(command: Command, _: Context) -> Iterator[Finding]:
    """Judge controllers with the verb before the service."""
    spec, further = _VERB_FIRST[command.program or ""]
    options = parse(command, spec)
    order = options.subcommand()
    if not options.helps and (order in _STOPPING or order in further):
        yield from report_stop(command, [word.raw for word in options.operands])


@FAMILY.judges(*_SERVICE_FIRST)
def by_service(command: Command, _: Context) -> Iterator[Finding]:
    """Judge controllers with the verb after the service."""
    given = Arguments(command.args)
    if "--help" in given.flags or "--version" in given.flags:
        return
    if "--full-restart" in given.flags or (len(given.words) > 1 and _stops(given.words[1])):
        yield from report_stop(command, given.words)


_SCRIPT = re.compile(r"(?:.*/)?(?:rc|init)\.d/[\w.@-]+\Z")
#: Media players.
_PLAYERS = names("playerctl mpdctl spotifyctl")


@FAMILY.judges("*")
def scripts(command: Command, _: Context) -> Iterator[Finding]:
    """Judge init scripts that are called by their path, and controllers of one server, by name."""
    if not command.args:
        return
    name = command.argv[0].raw
    if name.endswith("ctl") and command.args[0].raw in {"stop", "restart", "shutdown", "force-stop"}:
        if command.program not in _PLAYERS and command.program not in _KNOWN:
            yield from report_stop(command, [word.raw for word in command.args])
    elif ".d/" in name and len(name) < 256 and _SCRIPT.match(name) and _stops(command.args[0].raw):
        yield from report_stop(command, [word.raw for word in command.args])


#: Programs that other functions judge by their verbs.
_KNOWN = frozenset(_VERB_FIRST) | names("systemctl launchctl apachectl apache2ctl pg_ctl rabbitmqctl machinectl prlctl")


_SYNOLOGY = flag_starts("--stop --restart --disable --hard-stop --hard-disable --pause")
_DAEMON = Spec(
    "S start K stop T status H help V version x= exec= p= pidfile= ppid= u= user= n= name= a= startas= s= signal= R= "
    "retry= g= group= c= chuid= r= chroot= d= chdir= N= nicelevel= P= procsched= I= iosched= k= umask= b background C "
    "m make-pidfile remove-pidfile o oknodo t test q quiet v verbose O= output= notify-await notify-timeout= i "
    "interpreter e= env= stdout= stderr=",
    posix=True,
)


@FAMILY.judges("synoservice", "synoservicectl", "synosystemctl", "start-stop-daemon")
def by_option(command: Command, _: Context) -> Iterator[Finding]:
    """Judge controllers whose verb is an option."""
    given = Arguments(command.args)
    if command.program == "start-stop-daemon":
        options = parse(command, _DAEMON)
        stops = options.has("K", "stop") and not options.has("t", "test")
    else:
        stops = _SYNOLOGY.holds(given) or (bool(given.verb) and given.verb in _STOPPING)
    if stops:
        yield from report_stop(command, given.texts)


_LAUNCHCTL = verb("unload stop remove bootout disable kill reboot config") | (verb("kickstart") & letter("k"))


@FAMILY.judges("launchctl")
def launchctl(command: Command, _: Context) -> Iterator[Finding]:
    """Judge macOS services."""
    given = Arguments(command.args)
    if _LAUNCHCTL.holds(given):
        yield from report_stop(command, given.words)


@FAMILY.judges("brew")
def brew(command: Command, _: Context) -> Iterator[Finding]:
    """Judge services that brew runs."""
    words = Arguments(command.args).words
    if words[:1] == ["services"] and words[1:2] and words[1] in {"stop", "restart", "kill", "cleanup"}:
        yield from report_stop(command, words)


@FAMILY.judges("net", "net.exe", "net1", "sc", "sc.exe", "wmic", "taskkill", "taskkill.exe", "iisreset", "appcmd")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Judge services and scheduled tasks of Windows."""
    words = [word.raw.lower() for word in command.args]
    program = (command.program or "").removesuffix(".exe")
    if (
        (program in {"net", "net1"} and words[:1] == ["stop"])
        or (program == "iisreset" and "/status" not in words and "/?" not in words)
        or (program == "appcmd" and words[:1] and words[0] in {"stop", "recycle", "delete"})
        or (program == "sc" and words[:1] and words[0] in {"stop", "delete", "config"})
        or (program == "taskkill" and words)
        or (program == "wmic" and {"delete", "terminate", "stopservice"} & set(words))
    ):
        yield from report_stop(command, words)


_OUT = any_word("del delete remove off disable")
_REMOVERS: dict[str, Check] = {
    "rc-update": _OUT,
    **dict.fromkeys(("update-rc.d", "chkconfig", "insserv", "sysv-rc-conf"), _OUT | flag("--del -r")),
}


@FAMILY.judges(*_REMOVERS)
def run_levels(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about removing services from the boot sequence."""
    given = Arguments(command.args)
    if _REMOVERS[command.program or ""].holds(given):
        yield from report_stop(command, given.texts)


_LEVEL = re.compile(r"[1-5sSqQuUaAbBcC]\Z")


@FAMILY.judges("init", "telinit")
def runlevel(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing the runlevel; 0 and 6 are refused elsewhere."""
    level = Arguments(command.args).verb
    if _LEVEL.match(level):
        yield LEVEL.found(command, path=level)
