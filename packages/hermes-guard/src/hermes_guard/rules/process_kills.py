"""Rules for killing processes by force, by name or in bulk."""

from collections.abc import Callable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import PARENT, Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

FAMILY = Family("kills")

FORCE = FAMILY.rule("kill.by-name", "ends every process that matches a name or a user: {path}", effects=("processes",))
MANY = FAMILY.rule("kill.many", "ends processes that it does not name: {path}", effects=("processes",))
CRITICAL = FAMILY.rule(
    "kill.vital", "signals the first process, the kernel's, or the whole group: {path}", effects=("processes",)
)

#: Programs that an agent needs to keep running.
_OWN = re.compile(
    r"hermes|gateway|cli\.py|sshd|systemd|dockerd|init\b|Xorg|gnome-shell|login|launchd|kubelet|containerd",
    re.IGNORECASE,
)
_FORCE = frozenset({"9", "KILL", "SIGKILL", "kill", "sigkill", "Kill"})
_HARMLESS = frozenset(
    [
        *("0", "HUP", "SIGHUP", "1", "USR1", "SIGUSR1", "10", "USR2", "SIGUSR2", "12"),
        *("CONT", "SIGCONT", "18", "WINCH", "SIGWINCH", "28"),
    ]
)
#: Signals that end no program by accident.
_QUIET = _HARMLESS - {"HUP", "SIGHUP", "1"}
_SIGNAL = re.compile(r"-(?:\d{1,2}|(?:SIG)?[A-Z][A-Z0-9+-]*)\Z")
_PLURAL = re.compile(r"pids\b|\[[@*]\]", re.IGNORECASE)
_GROUP = re.compile(rf"-(?:\d\d|{HOLE})")
_PORT = re.compile(r"(?:-t?i)?(?:tcp|udp)?:\d+")
_TERSE = re.compile(r"-[a-zA-Z]*t")
_LISTERS = frozenset(
    [
        *("pgrep", "pidof", "lsof", "ps", "fuser", "ss", "netstat", "jobs", "systemctl", "pstree", "top"),
        *("docker", "awk", "grep"),
    ]
)


def plain(pattern: str) -> str:
    """Return a pattern without the characters that keep it from matching itself: `[h]ermes`, `cli\\.py`."""
    return pattern.replace("\\", "").replace("[", "").replace("]", "")


def _names(command: Command) -> str:
    return " ".join(word.text for word in command.args)[:80]


_LISTS = ("-l", "-L", "-V", "--list", "--table", "--help", "--version")
_SIGNALS = frozenset({"-s", "-n", "--signal"})
#: Options of kill, and the number of words that follow them.
_SKIPPED = {
    "-q": 1,
    "--queue": 1,
    "--timeout": 2,
    **dict.fromkeys(("-a", "--all", "-p", "--pid", "-v", "--verbose"), 0),
}


def _split(command: Command) -> tuple[str, list[Word]] | None:
    """Return the signal and the processes of a kill; None when it only lists."""
    words = command.args
    signal = "TERM"
    pids: list[Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        text = word.raw
        index += 1
        if text in _LISTS or text.startswith(("-l", "--list=")):
            return None
        if text in _SIGNALS:
            signal = words[index].raw if index < len(words) else signal
            index += 1
        elif text.startswith("--signal="):
            signal = text.removeprefix("--signal=")
        elif text == "--":
            return signal, [*pids, *words[index:]]
        elif not pids and _SIGNAL.match(text) and index < len(words):
            signal = text[1:]
        elif text in _SKIPPED:
            index += _SKIPPED[text]
        else:
            pids.append(word)
    return signal, pids


@FAMILY.judges("kill", "gkill")
def kill(command: Command, context: Context) -> Iterator[Finding]:
    """Allow ending one named process, and ask about more."""
    split = _split(command)
    if split is None or split[0] == "0":
        return
    signal, pids = split
    texts = [word.raw for word in pids]
    if texts == ["0"] and command.wrapped_by("trap") and signal not in _FORCE:
        return  # a script that ends its own children on exit
    if command.contained and texts == ["1"] and signal in _HARMLESS:
        return  # the first process in a container is its service, which reloads its settings
    if not {"0", "-0", "1", "+1", "01"}.isdisjoint(texts) or _parent(pids):
        yield CRITICAL.found(command, path=_names(command))
    elif _many(command, signal, pids) and not _own_children(command, pids, context):
        yield MANY.found(command, path=_names(command))


def _parent(pids: list[Word]) -> bool:
    """Return True when one of these is the process that started the shell, under any name."""
    return any(map(is_parent, pids))


def is_parent(word: Word) -> bool:
    """Return True for the number of the process that started the shell, under any name."""
    return "PPID" in word.source or PARENT in word.commands


def _many(command: Command, signal: str, pids: list[Word]) -> bool:
    """Return True when a kill ends more than the named processes."""
    if command.wrapped_by("xargs", "parallel", "gxargs", "find", "fd"):
        return signal not in _HARMLESS
    listed = any(_lists(word.commands) for word in pids)
    if listed and signal not in _FORCE and all(_own_jobs(word.commands) for word in pids):
        return False
    # A script may end its own children on exit.
    own = signal not in _FORCE and any("$$" in word.source for word in pids)
    groups = any(_GROUP.match(word.raw) for word in pids) and not own
    looped = command.loop and any(not word.certain for word in pids) and not any("!" in word.source for word in pids)
    if listed or groups or looped:
        return signal not in _HARMLESS or (listed and signal not in _QUIET)
    if signal in _FORCE:
        unnamed = any(word.commands or _PLURAL.search(word.source) for word in pids if not word.certain)
        return len(pids) > 1 or unnamed
    return len(pids) > 2


#: Programs that list other users' processes.
_SEARCHES = _LISTERS - {"docker", "awk", "grep"}
#: Programs that read numbers from a file.
_READS = frozenset({"read", "mapfile", "readarray", "cat", "head"})
#: The maximum number of commands checked for what they start.
_NEAR = 64


def _own_children(command: Command, pids: list[Word], context: Context) -> bool:
    """Return True for process ids in variables, in a text that starts background programs and searches for none."""
    if not pids or any(word.raw.replace(HOLE, "").strip() or word.commands for word in pids):
        return False
    before = [other for other in context.commands[:_NEAR] if other is not command]
    return (
        not command.wrapped_by("xargs", "parallel", "gxargs", "find", "fd")
        and any(other.background for other in before)
        and not any(other.program in _SEARCHES or other.program in _READS for other in before)
    )


def _own_jobs(commands: tuple[Command, ...]) -> bool:
    """Return True for the shell's own jobs, a single search result, and the process on one given port."""
    if len(commands) != 1:
        return False
    if commands[0].program == "jobs":
        return True
    texts = [word.raw for word in commands[0].args]
    if commands[0].program == "pgrep":
        return any(text in {"-n", "-o", "--newest", "--oldest", "-nf", "-of", "-fn", "-fo"} for text in texts)
    ports = [text for text in texts if _PORT.fullmatch(text)]
    return commands[0].program == "lsof" and len(ports) == 1 and any(_TERSE.match(text) for text in texts)


def _lists(commands: tuple[Command, ...]) -> bool:
    return any(command.program in _LISTERS for command in commands) and not all(
        command.program in {"cat", "head"} for command in commands
    )


_PKILL = Spec(
    "f x n o v i a c e l w O= u= U= g= G= P= s= t= F= L r= H A q= full exact newest oldest inverse ignore-case echo "
    "count older= euid= uid= group= pgroup= parent= "
    "session= terminal= pidfile= logpidfile signal= ns= nslist= runstates= ignore-ancestors cgroup= env= queue= help "
    "version V h",
    numeric=True,
)


#: Names that occur in the command lines of many programs.
_COMMON = names(
    "node python python3 java ruby php perl bash sh zsh ssh docker npm npx postgres mysqld mysql mongod redis-server"
)
_SIGNAL_FIRST = re.compile(r"-((?:SIG)?[A-Z][A-Z0-9]{2,}|\d+)([a-z]*)\Z")
_MINE = re.compile(r"\$(?:\$|!|\{?BASHPID)")
#: Options that select all processes of a user, a terminal or a group, or all others.
_BROAD = (
    *("u", "U", "euid", "uid", "t", "terminal", "g", "G", "group", "s", "session", "v", "inverse", "P", "parent"),
)


@FAMILY.judges("pkill", "gpkill", "skill", "slay")
def pkill(command: Command, _: Context) -> Iterator[Finding]:
    """Allow a name with the default signal; ask about force, users and the agent's own processes."""
    words: list[Word] = []
    signal = "TERM"
    for word in command.args:
        found = _SIGNAL_FIRST.match(word.raw)
        if found is None:
            words.append(word)
            continue
        signal, flags = found.groups()
        if flags:
            words.append(Word(f"-{flags}", word.source, word.span))
    options = parse_words(words, _PKILL)
    if options.helps or options.has("V", "h"):
        return
    given = options.value("signal")
    signal = given.raw if given is not None else signal
    if signal == "0":
        return
    target = options.operands[-1] if options.operands else None
    if (
        signal in _FORCE
        or command.program in {"skill", "slay"}
        or (signal not in _HARMLESS and options.has(*_BROAD) and not _of_this_shell(options))
        or (target is not None and signal not in {"USR1", "USR2"} and _OWN.search(plain(target.raw)))
        or (target is not None and not target.certain and target.commands)
        or (target is not None and signal not in _HARMLESS and options.has("f", "full") and target.raw in _COMMON)
        # A single character matches far more than intended.
        or (target is not None and len(target.raw) == 1 and not options.has("x", "exact"))
    ):
        yield FORCE.found(command, path=_names(command))


def _of_this_shell(options: Options) -> bool:
    """Return True for the children of this shell, or of a job that it started."""
    broad = [(name, word) for name, word in options.given if name in _BROAD]
    return all(name in {"P", "parent"} and word is not None and _MINE.search(word.source) for name, word in broad)


_KILLALL = Spec(
    "e I g i l q r s= u= v V w n= Z= y= o= exact ignore-case process-group interactive list quiet regexp signal= "
    "user= verbose version wait help ns= context= "
    "younger-than= older-than= d t= c= m",
    numeric=True,
)


@FAMILY.judges("killall", "gkillall")
def killall(command: Command, _: Context) -> Iterator[Finding]:
    """Judge killing every process with a name."""
    options = parse(command, _KILLALL)
    if options.helps or options.has("l", "list", "V"):
        return
    signal = options.value("s", "signal")
    if (signal is not None and signal.raw == "0") or options.has("0"):
        return
    first = _SIGNAL_FIRST.match(command.args[0].raw) if command.args else None
    named = first.group(1) if first is not None else signal.raw if signal is not None else "TERM"
    if (
        named in _HARMLESS
        and not options.has("r", "regexp", "u", "user")
        and not any(_OWN.search(word.raw) for word in options.operands)
    ):
        return  # as with pkill: it reloads its settings
    yield FORCE.found(command, path=_names(command))


_FUSER = Spec("a c f i I k l m M n= s u v w 4 6 kill signal= list help version", numeric=True)


@FAMILY.judges("fuser")
def fuser(command: Command, _: Context) -> Iterator[Finding]:
    """Judge fuser, which can end every process that uses a file or a port."""
    if parse(command, _FUSER).has("k", "kill"):
        yield MANY.found(command, path=_names(command))


_KILLERS = frozenset({"kill-port", "fkill", "fkill-cli"})
_SESSION_ENDS = frozenset({"kill-user", "terminate-user", "kill-session", "terminate-session", "terminate-seat"})

#: Whether these end many processes or a session, given their operands and all arguments.
_OTHERS: dict[str, Callable[[list[str], list[str]], bool]] = {
    **dict.fromkeys(("xkill", "wkill"), lambda _, __: True),
    **dict.fromkeys(("kill-port", "fkill"), lambda words, _: bool(words)),
    **dict.fromkeys(("npx", "bunx"), lambda words, _: bool(words) and words[0].split("@")[0] in _KILLERS),
    "bkill": lambda words, _: "0" in words,
    "scancel": lambda _, texts: any(text == "-u" or text.startswith("--user") for text in texts),
    "loginctl": lambda words, _: bool(words) and words[0] in _SESSION_ENDS,
    "tmux": lambda words, _: words[:1] == ["kill-server"],
}


@FAMILY.judges(*_OTHERS)
def others(command: Command, _: Context) -> Iterator[Finding]:
    """Judge other ways to end many processes or a session."""
    texts = [word.raw for word in command.args]
    words = [text for text in texts if not text.startswith("-")]
    if {"--help", "--version", "-help"}.isdisjoint(texts) and _OTHERS[command.program or ""](words, texts):
        yield MANY.found(command, path=_names(command))
