"""Wrappers that need more than a table: loaders, supervisors and sandboxes."""

from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.inner_command import InnerCommand, alternatives, is_powerful, join, posix
from hermes_guard.shell.wrappers.table import Kind

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


def namespace(command: Command) -> list[InnerCommand]:
    """Read `ip netns exec NAME command` and `ip vrf exec NAME command`."""
    texts = command.texts
    if "exec" not in texts:
        return []
    at = texts.index("exec")
    words = command.argv[at + 2 :]
    known = at > 0 and ("netns".startswith(texts[at - 1]) or texts[at - 1] == "vrf")
    return [InnerCommand(Wrapper("ip", texts), words=words)] if words and known else []


def each_operand(command: Command) -> list[InnerCommand]:
    """Read `pee 'one' 'two'`: every operand is code."""
    wrapper = Wrapper(command.program or "", command.texts)
    return [InnerCommand(wrapper, code=word) for word in command.args if not word.raw.startswith("-")]


_START = Spec(
    "S start K stop T status x= exec= a= startas= n= name= p= pidfile= u= user= c= chuid= g= group= r= chroot= d= "
    "chdir= s= signal= R= retry= N= nicelevel= P= procsched= I= iosched= k= umask= b background m make-pidfile C "
    "no-close o oknodo q quiet t test v verbose O= output= remove-pidfile ppid= notify-await notify-timeout=",
    posix=True,
)


def daemon(command: Command) -> list[InnerCommand]:
    """Read `start-stop-daemon --start --exec FILE -- ARGUMENTS`."""
    options = parse_words(command.args, _START)
    program = options.value("a", "startas") or options.value("x", "exec")
    if program is None or options.has("t", "test") or not options.has("S", "start"):
        return []
    return [InnerCommand(Wrapper("start-stop-daemon", command.texts), words=(program, *options.operands))]


def architecture(command: Command) -> list[InnerCommand]:
    """Read `arch -x86_64 command`."""
    words = list(command.args)
    while words and words[0].raw.startswith("-"):
        words = words[2:] if words[0].raw in {"-e", "-d", "-arch"} else words[1:]
    return [InnerCommand(Wrapper("arch", command.texts), words=tuple(words))] if words else []


_BWRAP_PAIRS = (
    "bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try symlink setenv file bind-data ro-bind-data chmod bind-fd "
    "ro-bind-fd"
)
_BWRAP_VALUES = (
    "chdir unsetenv lock-file sync-fd proc dev tmpfs mqueue dir seccomp add-seccomp-fd exec-label file-label args uid "
    "gid hostname userns userns2 pidns block-fd info-fd json-status-fd cap-add cap-drop perms size remount-ro argv0 "
    "tmp-overlay ro-overlay overlay-src userns-block-fd"
)
#: The number of words that an option of `bwrap` takes; others take none.
_BWRAP = {
    **dict.fromkeys(_BWRAP_PAIRS.split(), 2),
    **dict.fromkeys(_BWRAP_VALUES.split(), 1),
    "overlay": 3,
}


def sandbox(command: Command) -> list[InnerCommand]:
    """Read `bwrap --bind / / command`: bind mounts are outside of the sandbox."""
    words = list(command.args)
    binds = False
    while words and words[0].raw.startswith("--") and words[0].raw != "--":
        name = words[0].raw[2:]
        binds = binds or name in {"bind", "dev-bind", "bind-try", "dev-bind-try"}
        words = words[1 + _BWRAP.get(name, 0) :]
    if words and words[0].raw == "--":
        words = words[1:]
    wrapper = Wrapper("bwrap", command.texts, elsewhere="" if binds else "container")
    return [InnerCommand(wrapper, words=tuple(words))] if words else []


def every_project(command: Command) -> list[InnerCommand]:
    """Read `repo forall -c code arguments`."""
    texts = command.texts
    at = next((number for number, text in enumerate(texts) if text in {"-c", "--command"}), 0)
    if "forall" not in texts[:at] or at + 1 >= len(texts):
        return []
    words: tuple[Word, ...] = command.argv[at + 1 :]
    return [InnerCommand(Wrapper("repo", texts), code=words[0] if len(words) == 1 else join(list(words)))]


#: Machine names, as `setarch` accepts them; each may be a program of its own.
_ARCHITECTURES = re.compile(
    r"(?:linux32|linux64|uname26|i[3-6]86|x86_64|x86|athlon|ia64|aarch64|arm\w*|ppc\w*|s390x?|sparc\w*|mips\w*|parisc\w*|"
    r"alpha\w*|riscv\w*|loongarch\w*|cris\w*)\Z"
)
PERSONALITIES = ("setarch", "linux32", "linux64", "uname26", "i386", "i486", "i586", "i686", "x86_64", "ppc64", "s390x")


def personality(command: Command) -> list[InnerCommand]:
    """Read `setarch [machine] [options] command`, also under the name of a machine."""
    words = list(command.args)
    named = command.program != "setarch"
    while words and (words[0].raw.startswith("-") or not named):
        if not words[0].raw.startswith("-"):
            named = True
            if not _ARCHITECTURES.match(words[0].raw):
                break
        if words[0].raw in {"-p", "--pid", "--help", "-h", "--version", "-V", "--list"}:
            return []
        words.pop(0)
    return [InnerCommand(Wrapper(command.program or "", command.texts), words=tuple(words))] if words else []


_SU = (
    "c= command= session-command= l login m p preserve-environment s= shell= g= group= G= supp-group= f fast P pty T "
    "no-pty u= user= w= whitelist-environment="
)
_SU_OPTIONS, _RUNUSER_OPTIONS = Spec(_SU), posix(_SU)


def switched_user(command: Command) -> list[InnerCommand]:
    """Read `su user -c code`, `su - -- -c code` and `runuser -u user command`."""
    options = parse_words(command.args, _SU_OPTIONS)
    if options.helps:
        return []
    user = options.value("u", "user") if command.program == "runuser" else None
    wrapper = Wrapper(command.program or "", command.texts, user is None or user.raw in {"root", "0"})
    if user is not None:
        words = parse_words(command.args, _RUNUSER_OPTIONS).operands
        return [InnerCommand(wrapper, words=tuple(words))] if words else []
    codes = options.values("c", "command", "session-command")
    # The words after the user are arguments of that user's shell.
    words = options.operands
    codes += [after for word, after in pairwise(words) if _SHELL_CODE.match(word.raw)]
    return [InnerCommand(wrapper, code=code) for code in codes]


def capable(command: Command) -> list[InnerCommand]:
    """Read `capsh -- -c code`: bash gets the words after the dashes."""
    texts = command.texts
    at = next((place for place, text in enumerate(texts) if text in {"--", "==", "-+", "=+"}), 0)
    if not at:
        return []
    shell = Word("bash", "bash", command.span)
    return [InnerCommand(Wrapper("capsh", texts), words=(shell, *command.argv[at + 1 :]))]


_RUNCON = posix("c compute t= type= u= user= r= role= l= range=")


def labelled(command: Command) -> list[InnerCommand]:
    """Read `runcon context command` and `runcon -t type command`."""
    words = parse_words(command.args, _RUNCON).operands
    words = words[1:] if words and ":" in words[0].raw else words
    return [InnerCommand(Wrapper("runcon", command.texts), words=tuple(words))] if words else []


_SHELL_CODE = re.compile(r"-[a-zA-Z]*c\Z|--command\Z")
_PERF = posix(
    "e= event= o= output= F= freq= p= pid= t= tid= r= repeat= c= count= C= cpu= G= cgroup= D= delay= I= "
    "interval-print= interval-count= timeout= m= mmap-pages= j= branch-filter= call-graph= k= clockid= x= "
    "field-separator= u= uid= filter= max-size= M= metrics= pre= post= control= log-fd= for-each-cgroup= W weight a "
    "all-cpus g s stat n no-samples q quiet v verbose i no-inherit B big-num A no-aggr S sync T timestamp d detailed "
    "N no-buildid-cache b branch-any R raw-samples user-regs= intr-regs= proc-map-timeout= vmlinux= switch-output? "
    "per-core per-socket per-thread json table null summary topdown transaction kernel-callchains user-callchains "
    "duration= sched max-stack= min-stack= expr= ldlat= l type= t= aio? affinity= compression-level= z? buildid-all "
    "no-bpf-event"
)
#: Subcommands of perf that start a command, and those with a nested one.
_MEASURES = frozenset({"stat", "record", "trace"})
_MEASURED = frozenset({"mem", "c2c", "sched", "kmem", "lock", "kvm", "timechart", "ftrace", "kwork", "iostat"})


def measured(command: Command) -> list[InnerCommand]:
    """Read `perf stat -e event command` and similar subcommands."""
    words = parse_words(command.args, _PERF).operands
    if words and words[0].raw in _MEASURED:
        words = parse_words(words[1:], _PERF).operands
    if not words or words[0].raw not in _MEASURES:
        return []
    options = parse_words(words[1:], _PERF)
    wrapper = Wrapper("perf", command.texts)
    runs = [options.operands, *alternatives(options, spec=_PERF)] if options.operands and not options.helps else []
    found = [InnerCommand(wrapper, words=tuple(run)) for run in runs]
    return [*found, *(InnerCommand(wrapper, code=code) for code in options.values("pre", "post"))]


def on_change(command: Command) -> list[InnerCommand]:
    """Read `entr command` and `entr -s code`."""
    options = parse_words(command.args, posix("a c d n p r s x z"))
    words = options.operands
    if not words:
        return []
    wrapper = Wrapper("entr", command.texts)
    return [InnerCommand(wrapper, code=words[0])] if options.has("s") else [InnerCommand(wrapper, words=tuple(words))]


_POWERSHELL_CODE = re.compile(r"[-/](?:c|co|com|comm|comma|comman|command|commandwithargs|cwa)\Z", re.IGNORECASE)
_POWERSHELL_ENDS = re.compile(r"[;|&\n{}()]+")
_MAX_PIECES = 32


def windows_shell(command: Command) -> list[InnerCommand]:
    """Return the program after `cmd /c`, if it is dangerous. Batch code is judged by the rules."""
    words = command.args
    at = next((place for place, word in enumerate(words[:8]) if word.raw.lower() in {"/c", "/k"}), -1)
    if at < 0 or not words[at + 1 :]:
        return []
    code = join(words[at + 1 :])
    inside = tuple(Word(text, text, code.span) for text in code.raw.split())
    if not inside or not is_powerful(inside[0]):
        return []
    return [InnerCommand(Wrapper(command.program or "", command.texts), words=inside)]


def powershell(command: Command) -> list[InnerCommand]:
    """Return the programs that PowerShell code starts by name. PowerShell itself is judged by the rules."""
    words = command.args
    at = next((place for place, word in enumerate(words) if _POWERSHELL_CODE.match(word.raw)), -1)
    if at < 0 or not words[at + 1 :]:
        return []
    code = join(words[at + 1 :])
    wrapper = Wrapper(command.program or "", command.texts)
    found: list[InnerCommand] = []
    for piece in _POWERSHELL_ENDS.split(code.raw)[:_MAX_PIECES]:
        texts = piece.replace('"', "").replace("'", "").split()
        inside = tuple(Word(text, text, code.span) for text in texts)
        if inside and is_powerful(inside[0]):
            found.append(InnerCommand(wrapper, words=inside))
    return found
