"""Loaders, supervisors and sandboxes: programs that start another one, and whose options need more than a table."""

from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.inner import Inner, join, posix
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrapper_table import Kind

_LOADER = Kind(
    posix(
        "list verify inhibit-cache list-tunables list-diagnostics library-path= preload= argv0= audit= inhibit-rpath="
    ),
    unless=("list", "verify"),
)
_PLAIN = Kind(posix(""))
_AFTER_ONE = Kind(posix(""), skip=1)

LAUNCHERS: dict[str, Kind] = {
    "sem": Kind(posix("j= jobs= id= fg bg wait u keep-order semaphoretimeout= st= semaphorename=")),
    "tini": Kind(posix("p= s v w g e= l h version")),
    "dumb-init": Kind(posix("c single-child r= rewrite= v verbose V version h help")),
    "catatonit": Kind(posix("P g L h")),
    "chpst": Kind(posix("u= U= b= /= e= d= o= p= f= c= m= n= l= L= P v V 0 1 2")),
    "softlimit": Kind(posix("a= c= d= f= l= m= o= p= r= s= t=")),
    "setlock": Kind(posix("n N x X"), skip=1),
    "cgexec": Kind(posix("g= sticky b")),
    "choom": Kind(posix("n= p= adjust= pid="), unless=("p", "pid")),
    "uclampset": Kind(posix("m= M= a p= s R v"), unless=("p",)),
    "daemonize": Kind(posix("a c= e= o= p= l= u= v E=")),
    "daemon": Kind(posix("n= name= u= user= D= chdir= o= output= e= env= r respawn f foreground U= umask= t= title=")),
    "ifne": Kind(posix("n")),
    "sandbox-exec": Kind(posix("f= p= n= D=")),
    "watchexec": Kind(
        posix(
            "w= watch= e= exts= f= filter= i= ignore= d= debounce= s= signal= r restart c? clear? p postpone n N "
            "notify o= on-busy-update= stop-signal= E= env= shell= no-shell workdir= project-origin= poll? q quiet"
        ),
        joined=True,
    ),
    "fab": Kind(
        posix("H= hosts= i= identity= c= collection= r= search-root= prompt-for-login-password"),
        joined=True,
        elsewhere="machine",
    ),
    "clush": Kind(posix("w= x= g= X= l= f= o= t= u= b B a L q S"), joined=True, elsewhere="machine"),
    "dsh": Kind(posix("m= g= a c w M f= r= o="), joined=True, elsewhere="machine"),
    "lxc-attach": Kind(
        posix("n= name= P= lxcpath= e? s= R= clear-env keep-env v= set-var= u= g="), elsewhere="container"
    ),
    "lxc-execute": Kind(posix("n= name= f= rcfile= s= define= u= g= P="), elsewhere="container"),
    **dict.fromkeys(("ccache", "sccache", "distcc", "heaptrack", "zrun", "prime-run", "gamemoderun"), _PLAIN),
    **dict.fromkeys(("s6-setuidgid", "setuidgid", "envdir", "envuidgid", "s6-envdir", "rr"), _AFTER_ONE),
    **dict.fromkeys(
        (
            "ld.so",
            "ld-linux.so.2",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
            "ld-linux-armhf.so.3",
            "ld-musl-x86_64.so.1",
            "ld-musl-aarch64.so.1",
            "ld64.so.2",
        ),
        _LOADER,
    ),
}


def namespace(command: Command) -> list[Inner]:
    """`ip netns exec NAME command` and `ip vrf exec NAME command`."""
    texts = command.texts
    if "exec" not in texts:
        return []
    at = texts.index("exec")
    words = command.argv[at + 2 :]
    known = at > 0 and ("netns".startswith(texts[at - 1]) or texts[at - 1] == "vrf")
    return [Inner(Wrapper("ip", texts), words=words)] if words and known else []


def each_operand(command: Command) -> list[Inner]:
    """`pee 'one' 'two'`: every operand is code."""
    wrapper = Wrapper(command.program or "", command.texts)
    return [Inner(wrapper, code=word) for word in command.args if not word.raw.startswith("-")]


_START = Spec(
    "S start K stop T status x= exec= a= startas= n= name= p= pidfile= u= user= c= chuid= g= group= r= chroot= d= "
    "chdir= s= signal= R= retry= N= nicelevel= P= procsched= I= iosched= k= umask= b background m make-pidfile C "
    "no-close o oknodo q quiet t test v verbose O= output= remove-pidfile ppid= notify-await notify-timeout=",
    posix=True,
)


def daemon(command: Command) -> list[Inner]:
    """`start-stop-daemon --start --exec FILE -- ARGUMENTS`."""
    options = parse_words(command.args, _START)
    program = options.value("a", "startas") or options.value("x", "exec")
    if program is None or options.has("t", "test") or not options.has("S", "start"):
        return []
    return [Inner(Wrapper("start-stop-daemon", command.texts), words=(program, *options.operands))]


def architecture(command: Command) -> list[Inner]:
    """`arch -x86_64 command`."""
    words = list(command.args)
    while words and words[0].raw.startswith("-"):
        words = words[2:] if words[0].raw in {"-e", "-d", "-arch"} else words[1:]
    return [Inner(Wrapper("arch", command.texts), words=tuple(words))] if words else []


_BWRAP_PAIRS = (
    "bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try symlink setenv file bind-data ro-bind-data chmod bind-fd "
    "ro-bind-fd"
)
_BWRAP_VALUES = (
    "chdir unsetenv lock-file sync-fd proc dev tmpfs mqueue dir seccomp add-seccomp-fd exec-label file-label args uid "
    "gid hostname userns userns2 pidns block-fd info-fd json-status-fd cap-add cap-drop perms size remount-ro argv0 "
    "tmp-overlay ro-overlay overlay-src userns-block-fd"
)
#: How many words an option of `bwrap` takes; those that are not named take none.
_BWRAP = {
    **dict.fromkeys(_BWRAP_PAIRS.split(), 2),
    **dict.fromkeys(_BWRAP_VALUES.split(), 1),
    "overlay": 3,
}


def sandbox(command: Command) -> list[Inner]:
    """`bwrap --bind / / command`: outside of the sandbox is what it binds."""
    words = list(command.args)
    binds = False
    while words and words[0].raw.startswith("--") and words[0].raw != "--":
        name = words[0].raw[2:]
        binds = binds or name in {"bind", "dev-bind", "bind-try", "dev-bind-try"}
        words = words[1 + _BWRAP.get(name, 0) :]
    if words and words[0].raw == "--":
        words = words[1:]
    wrapper = Wrapper("bwrap", command.texts, elsewhere="" if binds else "container")
    return [Inner(wrapper, words=tuple(words))] if words else []


def every_project(command: Command) -> list[Inner]:
    """`repo forall -c code arguments`."""
    texts = command.texts
    at = next((number for number, text in enumerate(texts) if text in {"-c", "--command"}), 0)
    if "forall" not in texts[:at] or at + 1 >= len(texts):
        return []
    words: tuple[Word, ...] = command.argv[at + 1 :]
    return [Inner(Wrapper("repo", texts), code=words[0] if len(words) == 1 else join(list(words)))]
